// The shapes that the modules hand to one another; never served, read by the type checker alone.

import type { CubeOut as Cube, Known } from "./answers";

export type { CubeOut as Cube, Known } from "./answers";

/** One of the two sides of a match, as in every entry. */
export type Seat = "one" | "two";

/** What two players have. */
export interface BySeat<T> {
  one: T;
  two: T;
}

/** 26 counts from a player's own side: 0 borne off (men counted), 1 to 24 points, 25 bar. */
export type Counts = readonly number[];

/** A board: each seat's counts from its own side. */
export type Board = BySeat<Counts>;

/** A board as the player to play sees it. */
export interface Position {
  own: Counts;
  other: Counts;
}

/** Two faces, 1 to 6. */
export type Dice = readonly [number, number];

/** One checker move from the mover's side: from (25 = bar) to (0 = off). */
export type CheckerMove = readonly [number, number];

/** A legal play: hops, and the position in which they end, seen by the mover. */
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

/** How far an entry has come: in IndexedDB here, on the server, parked for the director. */
export type EntryState = "saved" | "sent" | "parked" | "set_aside";

/** One entry of the match's stream as the tablet knows it. */
export interface Entry {
  entry_id: string;
  /** Version in the stream; for an unsent entry the one that it expects to get. */
  version: number;
  tag: string;
  schema: number;
  basis: Basis;
  /** Personal values in the clear where this device knows them, else `{sd}`. */
  body: Record<string, any>;
  state: EntryState;
  /** Why the server parked it: a reason code of the submission protocol. */
  reason?: string;
  /** Wall clock of the device, milliseconds since 1970 UTC; a claim. */
  occurred_at?: number | null;
  /** Whether it came by another door than a tablet's, such as the director's room. */
  isFromRoom?: boolean;
}

/** How the outbox stands; what the header of the tablet shows. */
export interface OutboxStatus {
  /** Entries that the server has not acknowledged. */
  unsent: number;
  /** Photos, films and the like that the server has not. */
  files: number;
  /** Milliseconds since the server last answered; null = not since this page was opened. */
  ack_age_ms: number | null;
  /** online = last exchange succeeded; trying = one is under way after a failure; offline = failing. */
  link: "online" | "trying" | "offline";
  /** Entries that wait for the director. */
  parked: number;
  /** Whether this origin can keep the page for a reload without network, and sign. */
  secure: boolean;
  signing: "ed25519" | "absent";
  /** scribe = holds the lease; shadow = records beside; none = has no lease (any more). */
  role: "scribe" | "shadow" | "none";
  lease: number | null;
  /** What the director lets this screen show; a board that was taken away shows nothing more. */
  profile: "no_assist" | "monitor";
  /** What stopped the flusher for good, as a problem type, until somebody acts. */
  alarm: string | null;
}

/** The server's clock as it was heard. */
export interface ServerClock {
  /** Milliseconds since 1970 UTC. */
  time_ms: number;
  /** `performance.now()` at about that moment. */
  heard_ms: number;
  /** How far the moment may be off, milliseconds. */
  slack_ms: number;
}

/** Options of one record. */
export interface RecordOptions {
  basis?: Basis;
  schema?: number;
}

/** What the rules in force say, as far as a fold needs it: facts of the match, and no judgement. */
export interface FoldTerms {
  crawford?: boolean;
  jacoby?: boolean;
  void_cube_acts?: readonly string[];
  played_on?: readonly string[];
  /** Where the game stands after a ruling on a throw, by the ruling's entry. */
  ruled_throws?: Readonly<Record<string, import("../fold/flow_state.js").Flow>>;
  /** The cube after a tie that doubles it, or a drop that ends no match, by entry. */
  cubes?: Readonly<Record<string, import("../fold/cube.js").CubeState>>;
  concedable?: string | null;
  /** What the server, which has the rule set, made of the match last. */
  known?: Known | null;
}

/** The device's side of the submission protocol (evidence.md section 8). */
export interface Outbox extends EventTarget {
  readonly match_id: string;
  readonly log_id: string;
  readonly device: string;
  /** All entries of the stream: those of the server, then our own that are not there yet. */
  readonly entries: readonly Entry[];
  /** Own entries that wait for the director, in order, each with its reason. */
  readonly parked: readonly Entry[];
  readonly status: OutboxStatus;
  /** What the rule set says for the fold; nothing until the server was heard. */
  readonly terms: FoldTerms;
  /** What the server's clock said last; null before it was heard. */
  readonly server_clock: ServerClock | null;
  /** Resolves when the draft is durable here; the entry is then shown as recorded. */
  record(tag: string, body: Record<string, any>, options?: RecordOptions): Promise<Entry>;
  /** Several acts of one gesture, all or none durable together, in order. */
  recordAll(acts: readonly Act[]): Promise<Entry[]>;
  /** Keep a file as evidence, send it when there is a network; its SHA-256. */
  attach(file: Blob): Promise<string>;
  /** Try now, whatever the timer says. */
  flush(): Promise<void>;
  /** Everything unsent as a file that the director can take in by hand. */
  exportUnsent(): Promise<Blob>;
  close(): void;
}

/** What `recordAll` takes. */
export interface Act {
  tag: string;
  /** Where another act of the same gesture names this one. */
  entry_id?: string;
  body: Record<string, any>;
  basis?: Basis;
  schema?: number;
}

/** What comes next, as `projections/expecting.py` says it. */
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

/** The clock as the entries leave it; a running one is extrapolated by who shows it. */
export interface ClockState {
  kind: string;
  delay_ms: number;
  reserve_ms: BySeat<number | null>;
  running: Seat | null;
  /** `at_ms` since which `running` runs without a stop, and its turn's time before that. */
  since_at_ms: number | null;
  since_elapsed_ms: number | null;
  /** Reserve of the running seat when its turn began; `clockAt` of `record/clock.js` uses it. */
  turn_reserve_ms: number | null;
  /** Whose time ran before the pause. */
  paused: Seat | null;
  /** Free time of this turn, where it is not the whole delay. */
  free_ms: number | null;
  /** How the delay of this turn, and of each player's next one, is forfeited. */
  turn_forfeit: "at_once" | "waits" | null;
  forfeits: BySeat<"at_once" | "waits" | null>;
}

/** What a tablet shows: the standing entries folded. Never judges, knows no rule set. */
export interface Table {
  version: number;
  length: number | null;
  crawford_played: boolean;
  is_crawford: boolean;
  /** As it stands: games, what was stated, and penalty points that enter it. */
  score: BySeat<number>;
  game: number;
  in_game: boolean;
  board: Board | null;
  cube: Cube;
  on_roll: Seat | null;
  to_act: Seat | null;
  turn_open: Seat | null;
  /** Who may answer a double; one that the rules hold void is answered as well. */
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
  /** How the last game ended, until the next one starts. */
  ended: { winner: Seat; points: number; kind: string | null; by: string } | null;
  /** All games that are over. */
  games: readonly { number: number; winner: Seat; points: number; kind: string | null; ended_by: string }[];
  winner: Seat | null;
  /** What the server made of it last; null before it was heard. */
  known: Known | null;
  /** The board before a standing entry; null where it is not known. */
  before(entry_id: string): Board | null;
  clock: ClockState | null;
  /** The entry of a flag that was noticed, if no time has run since. */
  flag: Entry | null;
  /** Whether a game was given away last, and goes on all the same. */
  played_on: boolean;
  /** Whether the last game was given away, and the server has still to say whether it is over so. */
  unjudged: boolean;
  /** Entries in force, amended ones with their replacement, retracted ones left out. */
  standing: readonly Entry[];
  /** The last play that was made, for marks and for "fix the previous play". */
  last_play: { entry: Entry; seat: Seat; before: Board | null; dice: Dice | null } | null;
}

/** What the tablet's app hands to a sheet: the record, and what is known at the table just now. */
export interface SheetContext {
  outbox: Outbox;
  /** The record folded as it stands when it is asked. */
  table(): Table;
  /** What the two players are called on this screen. */
  names: BySeat<string>;
  /** Now on the scale of `at_ms`; null where the appointed start is not known. */
  atMs(): number | null;
  /** What the clock shows, where this tablet is the clock or follows it; after a press of `presser`. */
  readings(presser?: Seat): BySeat<number | null> | null;
  profile: "no-assist" | "monitor";
  /** Called before something is recorded: what is half told has its place before it. */
  before?(acts: readonly Act[]): Promise<void> | undefined;
  /** Called after something was recorded or the record is otherwise to be shown anew. */
  changed(): void;
}

/** `<tb-board>`: draws what it is given, and says which place was tapped. Never judges. */
export interface BoardElement extends HTMLElement {
  board: Board | null;
  cube: Cube | null;
  dice: Dice | null;
  diceSeat: Seat | null;
  bottom: Seat;
  direction: "right" | "left";
  marks: ReadonlyMap<Place, Mark>;
  /** How many checkers a mark means, where more than one. */
  markCounts: ReadonlyMap<Place, number>;
  labels: BySeat<string>;
  interactive: boolean;
  turn: Seat | null;
}
