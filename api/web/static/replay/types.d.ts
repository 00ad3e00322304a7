// What the replay's API answers, as the modules of this folder read it; never served.

import type { BySeat, Counts, Cube, Seat } from "../shared/types";

/** Both sides' counts; null while the board is unknown. */
export type MaybeBoard = BySeat<Counts | null>;

export interface Act {
  facts: Record<string, string | number>;
  people: Record<string, string>;
}

/** A sentence of a fold: its template, and what stands in its places. */
export interface Said {
  text: string;
  facts: Record<string, string | number>;
  people: Record<string, Seat>;
  parts: Record<string, Said>;
}

export interface Question {
  topic: string;
  readings: string[];
  reason: string;
  lean: string | null;
  suggest: string | null;
  leaning: Said | null;
}

export interface Finding {
  code: string;
  rule_set: string;
  section: string;
  version: number;
  seat: Seat | null;
  message: string;
  said: Said;
  severity: string;
  ambiguity: string | null;
  verified: boolean;
  ruling_required: Question | null;
  answered_by: number | null;
}

export interface Frame {
  play: string;
  from: number;
  to: number;
  checkers: MaybeBoard;
}

export interface Scene extends Act {
  version: number;
  tag: string;
  seat: Seat | null;
  entry_id: string;
  basis: string;
  at_ms: number | null;
  status: "stands" | "amended" | "retracted";
  corrected_by: number | null;
  was: Act | null;
  target: number | null;
  game: number;
  turn: number;
  turn_of: Seat | null;
  awaits: string;
  lying: { seat: Seat | null; dice: (number | null)[] } | null;
  before: MaybeBoard;
  checkers: MaybeBoard;
  frames: Frame[];
  marks: string[];
  is_disputed: boolean;
  pips: BySeat<number> | null;
  score: BySeat<number>;
  cube: Cube;
  on_roll: Seat | null;
  to_act: Seat | null;
  turn_open: Seat | null;
  clock: { reserve_ms: BySeat<number | null>; running: Seat | null } | null;
  findings: Finding[];
}

export interface Game {
  number: number;
  version: number;
  score: BySeat<number>;
  crawford: boolean;
  result: {
    version: number;
    winner: Seat;
    points: number;
    kind: string | null;
    ended_by: string;
  } | null;
}

/** What one rule set says to a matter. */
export interface Side {
  rule_set: string;
  section: string;
  code: string | null;
  message: string;
  said: Said;
  is_question: boolean;
  readings: string[];
  leaning: Said | null;
}

export interface Match {
  version: number;
  rule_set: string;
  as_recorded: boolean;
  length: number | null;
  is_trusted: boolean;
  held_back: string | null;
  scenes: Scene[];
  games: Game[];
  disputes: { version: number; frozen: number; topic: string | null }[];
  questions: {
    version: number;
    topic: string;
    seat: Seat | null;
    answered: { version: number; reading: string } | null;
    left: { version: number } | null;
  }[];
  corrections: Finding[];
  contrasts: { version: number; rules: Side | null; against: Side | null }[];
  captions: Record<string, Record<string, string | null>>;
}

export interface Window {
  what: string;
  entry: number;
  seat: Seat | null;
  state: string;
  by: string | null;
  until: string | null;
  section: string;
  rule_set: string;
}

export interface Provenance {
  version: number;
  entry_id: string;
  global_position: number;
  leaf_hash: string;
  basis: string;
  is_known: boolean;
  recorded_by: string | null;
  device: string | null;
  device_seq: number | null;
  epoch: number | null;
  lease: number | null;
  signature: "good" | "absent" | null;
  occurred_at: number | null;
  received_at: number | null;
  offline_ms: number | null;
}

export interface AlignedTurn {
  game: number;
  turn: number;
  seat: Seat | null;
  version: number;
  dice: string;
  play: string | null;
  cube: string[];
  won: string | null;
}

export interface Alignment {
  with: string | null;
  rows: { first: AlignedTurn | null; second: AlignedTurn | null; differs: string[] }[];
  first_divergence: number | null;
  sheets: {
    game: number;
    computed: BySeat<number>;
    noted: BySeat<{ score: BySeat<number> | null; version: number } | null>;
    differs: string[];
  }[];
  records: string[];
}

/** How finely the arrow keys step. */
export type Step = "turns" | "entries" | "checkers";

/** Which board is shown. */
export type Tab = "before" | "after" | "disputed";

/** A place in the record: an entry, or a checker of its play on the way. */
export interface Moment {
  scene: number;
  /** Which checker of the play; null = after the whole entry. */
  frame: number | null;
}

/** What the page was made with. */
export interface Setting {
  log: string;
  match: string;
  names: BySeat<string>;
  pinned: string;
}
