// What the room's API answers, as the modules of this folder read it; never served.

import type { Scene } from "../replay/types";
import type { BySeat, ClockState, Seat } from "../shared/types";

/** A clock as the tablet folds it, but on the server's time. */
export interface RoomClock extends Omit<ClockState, "since_at_ms"> {
  running_since: number | null;
  pause_reason: string | null;
  time_zero: number | null;
  flag: string | null;
}

export interface LastEntry {
  version: number;
  tag: string;
  seat: Seat | null;
  dice: (number | null)[] | null;
  play: string | null;
  received_at: number | null;
}

export interface TableLine {
  match_id: string;
  table: string | null;
  names: BySeat<string | null>;
  length: number | null;
  score: BySeat<number>;
  games: number;
  state: string;
  rule_set: string | null;
  clock: RoomClock | null;
  on_roll: Seat | null;
  to_act: Seat | null;
  last: LastEntry | null;
  lease: { number: number; device: string; profile: string } | null;
  device: { id: string; seen_at: number | null; unsent: number | null } | null;
  shadows: { match_id: string; device: string | null }[];
  /** Questions that need the director. */
  questions: number;
  /** Questions that nobody need answer: settled by both players, or left to rest. */
  notes: number;
  windows: number;
  penalties: BySeat<number>;
  lost_on_time?: Seat | null;
  parked: number;
  dispute: { version: number; entry_id: string; by?: string | null; frozen_version?: number | null } | null;
  notices: NoticeLine[];
  confirmations: any;
  is_public: boolean;
  late: any;
  /** Who forfeits the match by not coming; null once a game is on. */
  no_show: NoShow | null;
  round: string | null;
  /** Who was called and has not come, before the match begins. */
  called: Seat[];
  /** Penalty points of each side's players over all matches. */
  tally: BySeat<number>;
}

/** A player who does not come, and the entry that says so. */
export interface NoShow {
  seat: Seat;
  entry_id: string;
}

/** What the director decided, as the table is told of it. */
export interface NoticeLine {
  version: number;
  entry_id: string;
  tag: string;
  /** Null while the table has not taken note. */
  acknowledged: { version: number; by: string | null; at_ms: number | null; received_at: number | null } | null;
}

export interface CallLine {
  match_id: string;
  version: number;
  entry_id: string;
  at_ms: number | null;
  received_at: number | null;
  by: string | null;
  reason: string | null;
  answered: boolean;
  /** Whether it waits among the parked entries: the match does not have it. */
  parked: boolean;
}

export interface PairingLine {
  pairing_id: string;
  match_id: string | null;
  table: string | null;
  state: string;
  fingerprint: string[] | null;
  label?: string | null;
  device?: string | null;
  code?: string;
  expires_at?: number;
}

/** What the tournament is, and what its new matches are opened with. */
export interface TournamentLine {
  version: number;
  title: string;
  organiser: string | null;
  place: string | null;
  starts_on: string | null;
  ends_on: string | null;
  rule_set: string | null;
  options: Record<string, { value?: any }>;
  is_closed: boolean;
  /** Members of `match.opened`, each only if it is set. */
  defaults: {
    length?: number;
    rule_set?: string;
    options?: Record<string, any>;
    clock_terms?: { kind: string; reserve_ms: number; delay_ms?: number };
    publication?: { public?: boolean; delay_ms?: number };
  };
}

export interface Room {
  log_id: string;
  title: string;
  tournament: TournamentLine;
  server_time_ms: number;
  tables: TableLine[];
  calls: CallLine[];
  pairings: PairingLine[];
  devices: any[];
  grants: any[];
  results: any[];
  appeals: any[];
  byes: { entry_id: string; round: string | null; players: string[]; names: (string | null)[] }[];
}

/** What the parts of the room share. */
export interface RoomContext {
  log: string;
  title: string;
  room(): Room | null;
  /** The server's time now, milliseconds since 1970 UTC. */
  now(): number;
  /** Read the room anew now. */
  refresh(): Promise<void>;
  /** Show one match, at a version or as it stands. */
  open(match_id: string, at?: number | null): void;
  tableOf(match_id: string): TableLine | null;
  nameOf(match_id: string, seat: Seat): string;
}

/** What was read of one match. */
export interface Known {
  scenes: Scene[];
  questions: any[];
  penalties: any;
  appeals: any[];
  branches: any[];
  /** By version. */
  entries: Map<number, any>;
}

/** What every section of a match's panel is drawn from. */
export interface CaseView {
  context: RoomContext;
  match: string;
  known: Known;
  /** The entry that is shown; undefined while there is none. */
  scene: Scene | undefined;
  version: number;
  names: BySeat<string>;
  /** What may be put right at the entry shown; null while it is being read. */
  windows: any[] | null;
  /** What may be put right now. */
  closing: any[];
  /** What outlives a drawing, by name. */
  kept: Map<string, any>;
  /** Show another entry; null follows the match. */
  stand(version: number | null): void;
}
