// Types that modules of several folders share; for the type checker, never served.

import type { CubeOut as Cube, Known } from "./answers";

export type { CubeOut as Cube, Known } from "./answers";

/** One of the two sides of a match, as in every entry. */
export type Seat = "one" | "two";

/** A value for each player. */
export interface BySeat<T> {
  one: T;
  two: T;
}

/** 26 counts from a player's own side: 0 = borne off, 1 to 24 = points, 25 = bar. */
export type Counts = readonly number[];

/** A board: each seat's counts from its own side. */
export type Board = BySeat<Counts>;

/** A board from the side of the player to play. */
export interface Position {
  own: Counts;
  other: Counts;
}

/** Two faces, 1 to 6. */
export type Dice = readonly [number, number];

/** One checker move from the mover's side: from (25 = bar) to (0 = off). */
export type CheckerMove = readonly [number, number];

/** A legal play: its moves, and the position after them, from the mover's side. */
export interface LegalPlay {
  moves: readonly CheckerMove[];
  end: Position;
}

/**
 * A place on the drawn board, points named from seat one's side:
 * "1" to "24", "bar-one", "bar-two", "off-one", "off-two", "cube".
 */
export type Place = string;

/** How a place is marked: by shape and line, never by colour alone. */
export type Mark = "from" | "leaves" | "to" | "ghost" | "hit" | "picked" | "target";

/** Basis of an entry, as in `events/envelope.py`. */
export type Basis =
  | "observed"
  | "claimed_by_one"
  | "claimed_by_two"
  | "agreed"
  | "ruled"
  | "device"
  | "imported"
  | "testified";

/** Where an entry is: stored here, on the server, parked, or set aside by the director. */
export type EntryState = "saved" | "sent" | "parked" | "set_aside";

/** An entry of the match's stream, as the tablet has it. */
export interface Entry {
  entry_id: string;
  /** Version in the stream; for an unsent entry the expected one. */
  version: number;
  tag: string;
  schema: number;
  basis: Basis;
  /** With personal values that this device knows; others are commitments, `{sd}`. */
  body: Record<string, any>;
  state: EntryState;
  /** Why the server parked it: a reason code of the submission protocol. */
  reason?: string;
  /** Wall clock of the device, milliseconds since 1970 UTC; a claim. */
  occurred_at?: number | null;
  /** Whether no tablet recorded it, but another program, such as the director's room. */
  isFromRoom?: boolean;
}

/** The state of the outbox, as the tablet's header shows it. */
export interface OutboxStatus {
  /** Entries that the server has not acknowledged. */
  unsent: number;
  /** Photos, films and the like that the server has not. */
  files: number;
  /** Milliseconds since the server last answered; null = not since this page was opened. */
  ack_age_ms: number | null;
  /** online = last exchange succeeded; trying = one is under way after a failure; offline = failing. */
  link: "online" | "trying" | "offline";
  /** How many entries wait for the director. */
  parked: number;
  /** Whether the origin is secure, so that the page can be cached and entries can be signed. */
  secure: boolean;
  signing: "ed25519" | "absent";
  /** scribe = holds the lease; shadow = is the second scribe; none = has no lease (any more). */
  role: "scribe" | "shadow" | "none";
  lease: number | null;
  /** The profile that the director allows; without a lease always "no_assist". */
  profile: "no_assist" | "monitor";
  /** What is wrong with the sending or the storage, as a problem type; null = nothing. */
  alarm: string | null;
}

/** A reading of the server's clock. */
export interface ServerClock {
  /** Milliseconds since 1970 UTC. */
  time_ms: number;
  /** `performance.now()` at that moment, within `slack_ms`. */
  heard_ms: number;
  /** How far the moment may be off, milliseconds. */
  slack_ms: number;
}

/** Options of one record. */
export interface RecordOptions {
  basis?: Basis;
  schema?: number;
}

/** Terms of the rule set in force that the folds need, as the server gives them. */
export interface FoldTerms {
  crawford?: boolean;
  jacoby?: boolean;
  void_cube_acts?: readonly string[];
  played_on?: readonly string[];
  /** By entry id: the flow after a ruling that changed it, or a double that left a roll over. */
  ruled_throws?: Readonly<Record<string, import("../fold/flow_state.js").Flow>>;
  /** By entry id: the cube after a tie that doubles it, or a drop that does not end the match. */
  cubes?: Readonly<Record<string, import("../fold/cube.js").CubeState>>;
  concedable?: string | null;
  /** The server's last result of the match by the rule set. */
  known?: Known | null;
}

/** The device's side of the submission protocol (evidence.md section 8). */
export interface Outbox extends EventTarget {
  readonly match_id: string;
  readonly log_id: string;
  readonly device: string;
  /** All entries: the server's, then our own that it does not have yet. */
  readonly entries: readonly Entry[];
  /** Own entries that wait for the director's decision, in order, each with its reason. */
  readonly parked: readonly Entry[];
  readonly status: OutboxStatus;
  /** The terms for the folds; empty before the server's first answer. */
  readonly terms: FoldTerms;
  /** The last reading of the server's clock; null before the first. */
  readonly server_clock: ServerClock | null;
  /** Resolves when the draft is durable here; only then it may be shown as recorded. */
  record(tag: string, body: Record<string, any>, options?: RecordOptions): Promise<Entry>;
  /** Record the acts of one gesture in order, all or none. */
  recordAll(acts: readonly Act[]): Promise<Entry[]>;
  /** Store a file as evidence, to be sent when the network allows; resolves with its SHA-256. */
  attach(file: Blob): Promise<string>;
  /** Try to send now instead of waiting for the timer. */
  flush(): Promise<void>;
  /** Everything unsent as a file that can be posted by hand. */
  exportUnsent(): Promise<Blob>;
  close(): void;
}

/** An act to be recorded. */
export interface Act {
  tag: string;
  /** Given only if another act of the same gesture refers to this one. */
  entry_id?: string;
  body: Record<string, any>;
  basis?: Basis;
  schema?: number;
}

/** What has to come next, as in `projections/views/expecting.py`. */
export type Awaits =
  | "match"
  | "cancelled"
  | "game"
  | "opening"
  | "roll"
  | "play"
  | "answer"
  | "resignation"
  | "claim"
  | "nothing";

/** The clock after the last entry; who shows a running clock extrapolates it. */
export interface ClockState {
  kind: string;
  delay_ms: number;
  reserve_ms: BySeat<number | null>;
  running: Seat | null;
  /** `at_ms` since when `running` has run without a pause; its turn's time before that. */
  since_at_ms: number | null;
  since_elapsed_ms: number | null;
  /** Reserve of the running seat when its turn began; `clockAt` of `fold/clock.js` uses it. */
  turn_reserve_ms: number | null;
  /** Whose time ran before the pause. */
  paused: Seat | null;
  /** Free time of this turn, if it is not the whole delay. */
  free_ms: number | null;
  /** How the delay of this turn is forfeited, and that of each player's next turn. */
  turn_forfeit: "at_once" | "waits" | null;
  forfeits: BySeat<"at_once" | "waits" | null>;
}

/** What a tablet shows: the folded standing entries. It contains no judgements. */
export interface Table {
  version: number;
  length: number | null;
  crawford_played: boolean;
  is_crawford: boolean;
  /** The score of games or as stated, with the penalty points that enter it. */
  score: BySeat<number>;
  game: number;
  in_game: boolean;
  board: Board | null;
  cube: Cube;
  on_roll: Seat | null;
  to_act: Seat | null;
  turn_open: Seat | null;
  /** Who may answer a double; a double that is void by the rules may be answered too. */
  asked: readonly Seat[];
  awaits: Awaits;
  dice: Dice | null;
  dice_seat: Seat | null;
  /** Entry of the roll in play. */
  roll_entry: string | null;
  /** Turns begun in this game. */
  turn_number: number;
  /** An early roll that waits for an answer or for the turn to end. */
  early: { seat: Seat; dice: Dice; entry_id: string; stands: boolean } | null;
  resigning: { seat: Seat; level: string | null } | null;
  /** The result of the last game, until the next one starts. */
  ended: { winner: Seat; points: number; kind: string | null; by: string } | null;
  /** The results of all games that are over. */
  games: readonly { number: number; winner: Seat; points: number; kind: string | null; ended_by: string }[];
  winner: Seat | null;
  /** The server's last result; null before its first answer. */
  known: Known | null;
  /** The board before a standing entry; null = unknown. */
  before(entry_id: string): Board | null;
  clock: ClockState | null;
  /** The entry of the noticed flag, if no time has run since. */
  flag: Entry | null;
  /** Whether the last entry gave the game away, and it goes on all the same. */
  played_on: boolean;
  /** Whether the server has not yet judged if the last game may be given away. */
  unjudged: boolean;
  /** The entries that stand: amended ones as amended, without retracted ones. */
  standing: readonly Entry[];
  /** The last play, for marks and for "fix the previous play". */
  last_play: { entry: Entry; seat: Seat; before: Board | null; dice: Dice | null } | null;
}

/** What a sheet gets: the record, and the state of the table. */
export interface SheetContext {
  outbox: Outbox;
  /** The table at the moment of the call. */
  table(): Table;
  /** The names of the players on this screen. */
  names: BySeat<string>;
  /** The time of an act now, as `at_ms`; null if the start is unknown. */
  atMs(): number | null;
  /** What the clock shows, or will after a press of `presser`; null if no clock is used. */
  readings(presser?: Seat): BySeat<number | null> | null;
  profile: "no-assist" | "monitor";
  /** Called before acts are recorded: a half-tapped play may have to be recorded first. */
  before?(acts: readonly Act[]): Promise<void> | undefined;
  /** Called after something was recorded. */
  changed(): void;
}

/** `<tb-board>`: draws a board, and fires an event for each tap. */
export interface BoardElement extends HTMLElement {
  board: Board | null;
  cube: Cube | null;
  dice: Dice | null;
  diceSeat: Seat | null;
  bottom: Seat;
  direction: "right" | "left";
  marks: ReadonlyMap<Place, Mark>;
  /** How many checkers the mark of a place means, if more than one. */
  markCounts: ReadonlyMap<Place, number>;
  labels: BySeat<string>;
  interactive: boolean;
  turn: Seat | null;
}
