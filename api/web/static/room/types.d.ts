// What the modules of this folder hand to one another; never served.

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
  /** Read the room anew now. */
  refresh(): Promise<void>;
  /** Show one match, at a version or as it stands. */
  open(match_id: string, at?: number | null): void;
  tableOf(match_id: string): TableOut | null;
  nameOf(match_id: string, seat: Seat): string;
}

/** What was read of one match. */
export interface Known {
  scenes: SceneOut[];
  questions: QuestionOut[];
  penalties: PenaltiesOut | null;
  appeals: AppealOut[];
  branches: BranchOut[];
  /** By version. */
  entries: Map<number, any>;
}

/** What every section of a match's panel is drawn from. */
export interface CaseView {
  context: RoomContext;
  match: string;
  known: Known;
  /** The entry that is shown; undefined while there is none. */
  scene: SceneOut | undefined;
  version: number;
  names: BySeat<string>;
  /** What may be put right at the entry shown; null while it is being read. */
  windows: WindowOut[] | null;
  /** What may be put right now. */
  closing: WindowOut[];
  /** What outlives a drawing, by name. */
  kept: Map<string, any>;
  /** Show another entry; null follows the match. */
  stand(version: number | null): void;
}
