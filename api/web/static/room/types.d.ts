// Types that the modules of this folder share; never served.

import type {
  AppealOut,
  BranchOut,
  PenaltiesOut,
  QuestionOut,
  RoomOut,
  SceneOut,
  TableOut,
  WindowOut,
} from "../shared/answers";
import type { BySeat, Seat } from "../shared/types";

export type {
  CallOut as CallLine,
  LastEntry,
  NoShowOut as NoShow,
  NoticeOut as NoticeLine,
  PairingOut as PairingLine,
  RoomClock,
  RoomOut as Room,
  TableOut as TableLine,
  TournamentOut as TournamentLine,
} from "../shared/answers";

/** What the parts of the room share. */
export interface RoomContext {
  log: string;
  title: string;
  room(): RoomOut | null;
  /** The server's time now, milliseconds since 1970 UTC. */
  now(): number;
  /** Fetch the room and what the view shows again now. */
  refresh(): Promise<void>;
  /** Show a match, at a version or at its last entry. */
  open(match_id: string, at?: number | null): void;
  tableOf(match_id: string): TableOut | null;
  nameOf(match_id: string, seat: Seat): string;
}

/** What was fetched of a match. */
export interface Known {
  scenes: SceneOut[];
  questions: QuestionOut[];
  penalties: PenaltiesOut | null;
  appeals: AppealOut[];
  branches: BranchOut[];
  /** By version. */
  entries: Map<number, any>;
}

/** What the sections of a match's panel are drawn from. */
export interface CaseView {
  context: RoomContext;
  match: string;
  known: Known;
  /** The entry shown; undefined if there is none. */
  scene: SceneOut | undefined;
  version: number;
  names: BySeat<string>;
  /** What may be corrected at the entry shown; null while it is being fetched. */
  windows: WindowOut[] | null;
  /** What may be corrected now. */
  closing: WindowOut[];
  /** State that survives redrawing, by name. */
  kept: Map<string, any>;
  /** Show another entry; null = follow the match. */
  stand(version: number | null): void;
}
