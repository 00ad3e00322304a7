// What the API answers, made of its description by `python -m tests.house.answers`.

/** What one player's time and penalties come to. */
export interface AccountOut {
  answer: AnswerOut | null;
  assessed: AssessedOut[];
  breaks: BreakOut[];
  delays: DelayOut[];
  /** Whether a break is in progress. */
  is_away: boolean;
}

/** Both players' accounts. */
export interface Accounts {
  one: AccountOut;
  two: AccountOut;
}

/** By which a table took note of what it was told. */
export interface Acknowledgement {
  at_ms: number | null;
  /** Who took note; null = whoever records. */
  by: string | null;
  /** Milliseconds since 1970 UTC. */
  received_at: number | null;
  version: number;
}

/** What an entry says: values by name, and who is named. */
export interface ActOut {
  /** Plain members of the body, by name. */
  facts: Record<string, number | string>;
  /** Role in the entry to one, two, director … */
  people: Record<string, string>;
}

/** One turn in both records. */
export interface AlignedOut {
  /** missing, dice, play, cube, won. */
  differs: string[];
  first: AlignedTurnOut | null;
  second: AlignedTurnOut | null;
}

/** One turn as one record has it. */
export interface AlignedTurnOut {
  checkers: Checkers;
  cube: string[];
  dice: string;
  game: number;
  play: string | null;
  /** Number of its row in a .mat file of this record. */
  row: number;
  seat: "one" | "two" | null;
  turn: number;
  version: number;
  won: string | null;
}

/** Two records beside each other. */
export interface AlignmentOut {
  /** Index of the first row that differs. */
  first_divergence: number | null;
  log_id: string;
  match_id: string;
  /** Match ids of other records of this match. */
  records: string[];
  rows: AlignedOut[];
  sheets: SheetOut[];
  version: number;
  with: string | null;
}

/** A match as an engine judges it; derived, and no part of the record. */
export interface AnalysisOut {
  choices: ChoiceOut[];
  engine: string;
  /** Version and build of the engine. */
  engine_version: string;
  left_out: LeftOutOut[];
  log_id: string;
  luck: LuckOut[];
  match_id: string;
  players: BothSums;
  /** How deep it looked at what, with its revision. */
  preset: string;
  /** Version of the match that was analysed: its last one. */
  version: number;
}

/** What the rule set says to a matter. */
export interface AnswerOut {
  /** Questions beside it. */
  also: Record<string, AnswerOut>;
  ambiguity: string | null;
  /** What belongs to the outcome, by name. */
  details: Record<string, any>;
  /** Shown, never applied. */
  lean: string | Record<string, any> | null;
  /** A word of the matter's own, or `ruling_required`. */
  outcome: string;
  readings: string[];
  /** Why a person has to rule, where one has to. */
  reason: string | null;
  /** The `ruling.made` that chose the outcome. */
  ruled_at: number | null;
  section: string;
  /** Shown, never applied. */
  suggest: string | null;
  /** False where another edition's text answered. */
  verified: boolean;
}

/** The ruling that answers a question. */
export interface AnsweredOut {
  /** When, in ms since the appointed start. */
  at_ms: number | null;
  /** The reading chosen. */
  reading: string;
  /** The `ruling.made`. */
  version: number;
}

/** One appeal. */
export interface AppealOut {
  /** The outcome as the director announced it. */
  announced: string | null;
  /** What the rule set said to it last. */
  answer: AnswerOut | null;
  /** Opened ones; none for who is not of the case. */
  ballots: BallotOut[];
  /** The director's own ballot, where he has a vote. */
  director: string | null;
  /** Whether it does not bar the director from a ballot after the committee's. */
  director_may_vote: boolean;
  /** Whether the rule set provides for a committee, or leaves open whether it does. */
  has_committee: boolean;
  /** Null while that is for a person to say. */
  is_admitted: boolean | null;
  is_refused: boolean;
  /** What the ballots make of the ruling, if settled. */
  result: AnswerOut | null;
  seat: "one" | "two" | null;
  /** Members of the committee. */
  size: number;
  /** The `appeal.filed`; null where none is recorded. */
  version: number | null;
  /** How many ballots are in, closed ones too. */
  voted: number;
}

/** A penalty as it was assessed. */
export interface AssessedOut {
  /** Null while nobody has said. */
  enters_score: boolean | null;
  /** Less those waived. */
  points: number;
  /** Clock time given (taken, if negative) with it, ms. */
  time_ms: Pair;
  version: number;
  waived: number;
}

/** A member's ballot. */
export interface BallotOut {
  member: string;
  proposal: string | null;
  vote: string;
}

/** An interval. */
export interface Between {
  high: number;
  low: number;
}

/** The sums of each player. */
export interface BothSums {
  one: PlayerSums;
  two: PlayerSums;
}

/** What one device submitted for one match in vain. */
export interface BranchOut {
  device: string;
  /** In the order of the device's chain. */
  items: ParkedOut[];
  match_id: string;
  state: "open" | "resolved";
}

/** A break taken. */
export interface BreakOut {
  ms: number;
  /** How long had been played before it. */
  played_ms: number | null;
}

/** A bye. */
export interface ByeOut {
  entry_id: string;
  names: (string | null)[];
  players: string[];
  round: string | null;
}

/** Somebody called the director. */
export interface CallOut {
  /** Entry id that the call is about. */
  about: string | null;
  /** Whether a later entry of the director's answers it. */
  answered: boolean;
  at_ms: number | null;
  by: string | null;
  entry_id: string;
  /** Where it was recorded: perhaps a second scribe's, beside a table's. */
  match_id: string;
  /** Whether it waits among parked entries; `version` is then the match's last. */
  parked: boolean;
  /** Tag of that entry. */
  reason: string | null;
  received_at: number | null;
  version: number;
}

/** 26 counts a side: borne off, points 1 to 24, bar; null while the board is unknown. */
export interface Checkers {
  one: number[] | null;
  two: number[] | null;
}

/** One choice as the engine judges it. */
export interface ChoiceOut {
  best: "play" | "no-double" | "double" | "take" | "drop" | "beaver";
  /** Of a play: the best one, such as `13/7 8/7`. */
  best_play: string | null;
  /** Of a play: the board after the best one. */
  checkers: Checkers | null;
  choice: "play" | "no-double" | "double" | "take" | "drop" | "beaver";
  /** Whether it is part of PR. */
  counts: boolean;
  game: number;
  /** How deep the engine looked, such as `2ply`. */
  level: string;
  /** Equity lost by it; 0 = nothing better was found. */
  lost: number;
  /** The same as chance of winning the match. */
  lost_chance: number | null;
  seat: "one" | "two";
  /** Version of the entry that the choice was: a play, a cube act, a roll. */
  version: number;
}

/** The clock in a line of the replay. */
export interface ClockState {
  reserve_ms: MaybePair;
  running: "one" | "two" | null;
}

/** The score as each player confirmed it since the last game ended. */
export interface Confirmations {
  one: Pair | null;
  two: Pair | null;
}

/** Where two rule sets differ. */
export interface ContrastOut {
  /** The pinned rule set. */
  against: SideOut | null;
  /** Null = nothing. */
  rules: SideOut | null;
  version: number;
  /** From what each answer carries; empty where one was not asked. */
  why: ReasonOut[];
}

/** The doubling cube. */
export interface CubeOut {
  offered_by: "one" | "two" | null;
  owner: "one" | "two" | null;
  value: number;
}

/** A delay as recorded. */
export interface DelayOut {
  kind: string;
  ms: number;
}

/** A device that is paired. */
export interface DeviceOut {
  epoch: number;
  /** Four words, as they were compared at pairing. */
  fingerprint: string[];
  grant_id: string;
  has_key: boolean;
  id: string;
  matches: string[];
  seen_at: number | null;
  /** Table at which it stands. */
  table: string | null;
  unsent: number | null;
}

/** One dispute. */
export interface DisputeOut {
  /** Version at which the record was frozen. */
  frozen: number;
  topic: string | null;
  version: number;
}

/** Where one entry comes from. */
export interface EntryProvenance {
  basis: string;
  device: string | null;
  device_seq: number | null;
  entry_id: string;
  epoch: number | null;
  global_position: number;
  /** Whether its context is at hand and may be seen. */
  is_known: boolean;
  leaf_hash: string;
  lease: number | null;
  /** By the device's clock: a claim. */
  occurred_at: number | null;
  /** How much later it was received, if by a minute. */
  offline_ms: number | null;
  received_at: number | null;
  /** The grant under which it was recorded. */
  recorded_by: string | null;
  /** Who that is, by name or by role. */
  recorder: RecorderOut | null;
  /** Null = by no paired device. */
  signature: "good" | "absent" | null;
  version: number;
}

/** A file that an entry names. */
export interface EvidenceOut {
  /** Where it is; null where it is not shown. */
  href: string | null;
  is_image: boolean;
  /** video, photo, sheet, audio, other. */
  kind: string;
  media_type: string | null;
  sha256: string;
  size_bytes: number | null;
  /** Why it is not shown. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** Where in the film an entry is. */
export interface FilmMomentOut {
  /** Milliseconds from the film's beginning. */
  film_ms: number;
  version: number;
}

/** A film of the match, and where in it each of its entries is. */
export interface FilmOut {
  /** Entry id of its `film.attached`, by which `film.aligned` names it. */
  film_id: string;
  /** Where it can be watched. */
  link: string | null;
  /** By the points; entries nobody knows of left out. */
  moments: FilmMomentOut[];
  /** What holds, in the order of the entries. */
  points: FilmPointOut[];
  /** What a point said later contradicts. */
  set_aside: FilmPointOut[];
  /** Hash of its file, which the server need not have. */
  sha256: string | null;
  /** Version of that. */
  version: number;
  /** Why there is no link, where there was one. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** What somebody said: at this moment of the film, this entry happened. */
export interface FilmPointOut {
  /** When it happened by the times of the table. */
  at_ms: number | null;
  /** Of the `film.aligned`: `entry.retracted` takes it back. */
  entry_id: string;
  /** Milliseconds from the film's beginning. */
  film_ms: number;
  /** Version of the entry that happens there. */
  target: number;
  /** The `film.aligned`. */
  version: number;
}

/** The films of a match. */
export interface FilmsOut {
  /** Whether corrections were left unapplied. */
  as_recorded: boolean;
  /** Whether a dispute is open: then the public is shown the match as it stood before. */
  awaits_ruling: boolean;
  films: FilmOut[];
  /** Null = nothing is left out; else the words: Only what happened is told of a match in play. Findings, questions, legal plays and pip counts of a game come when that game is over, and what the rules make of the match as a whole comes when the match is over. Those who rule on it are told at once. */
  held_back: string | null;
  log_id: string;
  match_id: string;
  /** Whether the visitor may attach and align films. */
  may_record: boolean;
  /** Rule set that the folds asked. */
  rule_set: string;
  /** Version shown. */
  version: number;
  /** Why none is shown; null = all are. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** An irregularity, or an open question. */
export interface FindingOut {
  ambiguity: string | null;
  answered_by: number | null;
  code: string;
  /** `said` in English, of player one and player two. */
  message: string;
  /** Empty where the rule set's text was read as a whole. */
  rests_on: RestOut[];
  rule_set: string;
  ruling_required: RulingRequiredOut | null;
  said: SaidOut;
  seat: "one" | "two" | null;
  section: string;
  severity: string;
  /** False where the text in force was not at hand for it. */
  verified: boolean;
  version: number;
}

/** How the delay of each player's next turn is forfeited; null = it is not. */
export interface Forfeits {
  one: "at_once" | "waits" | null;
  two: "at_once" | "waits" | null;
}

/** The board after one checker of a play. */
export interface FrameOut {
  checkers: Checkers;
  /** Point from the mover's side, 25 = bar. */
  from: number;
  play: string;
  /** Point from the mover's side, 0 = off. */
  to: number;
}

/** How a game ended. */
export interface GameEndOut {
  ended_by: string;
  kind: string | null;
  points: number;
  version: number;
  winner: "one" | "two";
}

/** One game of the match. */
export interface GameScenesOut {
  crawford: boolean;
  number: number;
  result: GameEndOut | null;
  score: Pair;
  /** Entry with which it begins. */
  version: number;
}

/** A grant in force in this log. */
export interface GrantOut {
  device: string | null;
  grant_id: string;
  holder: string | null;
  kind: string;
  match_id: string | null;
  role: string;
}

/** The lease of a match. */
export interface HeldLease {
  device: string;
  number: number;
  profile: string;
}

/** Score and outcome under the rule set in force, since a version. */
export interface Known {
  /** What decided the match. */
  by: string | null;
  /** What penalty points add to each side. */
  entered: Pair;
  /** Whether a flag that was noticed waits for a ruling. */
  is_flag_open: boolean;
  rule_set: string | null;
  /** Points of games, or as stated. */
  score: Pair;
  section: string | null;
  version: number;
  winner: "one" | "two" | null;
}

/** The last entry of a match. */
export interface LastEntry {
  dice: (number | null)[] | null;
  /** What was played, in notation; empty = no checker. */
  play: string | null;
  received_at: number | null;
  seat: "one" | "two" | null;
  tag: string;
  version: number;
}

/** A match that should have begun. */
export interface LateOut {
  /** Who has not arrived. */
  missing: ("one" | "two")[];
  /** The appointed start, milliseconds since 1970 UTC. */
  since: number;
}

/** The entry that left a question to rest. */
export interface LeftOut {
  entry_id: string;
  version: number;
}

/** Something that was done and is not judged: nothing is guessed. */
export interface LeftOutOut {
  /** A word: `illegal`, `board-unknown`, `no-roll`, `cube-void` ... */
  reason: string;
  seat: "one" | "two" | null;
  version: number;
}

/** How lucky one roll was. */
export interface LuckOut {
  luck: number;
  luck_chance: number | null;
  seat: "one" | "two";
  /** Version of the play that followed the roll. */
  version: number;
}

/** Dice as they lie on the board. */
export interface LyingOut {
  dice: (number | null)[];
  /** Whose; null = one of each player's. */
  seat: "one" | "two" | null;
}

/** What the players are called; null where that is not disclosed. */
export interface MaybeNames {
  one: string | null;
  two: string | null;
}

/** One number for each seat, where it is known. */
export interface MaybePair {
  one: number | null;
  two: number | null;
}

/** A match that was forfeited before its first game. */
export interface NoShowOut {
  /** The entry that says so; retracted, the match is on again. */
  entry_id: string;
  seat: "one" | "two";
}

/** Both players' sheets. */
export interface NotedBySeat {
  one: NotedOut | null;
  two: NotedOut | null;
}

/** A score as a keeper wrote it down. */
export interface NotedOut {
  score: Pair | null;
  version: number;
}

/** What the director decided, as the table is told of it. */
export interface NoticeOut {
  /** Null while the table has not. */
  acknowledged: Acknowledgement | null;
  entry_id: string;
  tag: string;
  version: number;
}

/** A dispute that no ruling has settled. */
export interface OpenDispute {
  at_ms: number | null;
  by: string;
  entry_id: string;
  /** Version of the last entry that both accept. */
  frozen_version: number;
  topic: string | null;
  version: number;
}

/** One number for each seat. */
export interface Pair {
  one: number;
  two: number;
}

/** A code or claim as a director sees it. */
export interface PairingOut {
  /** While it can be claimed. */
  code: string | null;
  device: string | null;
  epoch: number | null;
  expires_at: number;
  fingerprint: string[] | null;
  grant_id: string | null;
  /** Whether the device signs what it records. */
  has_key: boolean | null;
  label: string | null;
  lease: number | null;
  match_id: string | null;
  pairing_id: string;
  state: "open" | "waiting" | "approved" | "refused" | "expired";
  table: string | null;
  /** For how many devices the code is. */
  uses: number;
  /** How many more may claim it. */
  uses_left: number;
}

/** One draft that is parked. */
export interface ParkedOut {
  /** As the device signed it. */
  body: Record<string, any>;
  device_seq: number;
  /** Commitment to the value that it hides. */
  disclosures: Record<string, any>;
  entry_id: string;
  /** Version of the match that it was recorded on. */
  expected_version: number;
  /** Its number in the log's journal, from 1. */
  journal_id: number;
  /** By the device's clock; a claim. */
  occurred_at: number | null;
  /** Why the match could not take it. */
  reason: string;
  received_at: number;
  tag: string;
  /** Version that the match was at when it came. */
  version_then: number | null;
}

/** Penalties at one moment. */
export interface PenaltiesOut {
  accounts: Accounts;
  /** What breaks a player may take. */
  allowance: AnswerOut | null;
  /** Whether corrections were left unapplied. */
  as_recorded: boolean;
  /** Whether a dispute is open: then the public is shown the match as it stood before. */
  awaits_ruling: boolean;
  /** Of them, those that enter the score. */
  entering: Pair | null;
  /** Whose points forfeit the match. */
  forfeited: "one" | "two" | null;
  /** Null = nothing is left out; else the words: Only what happened is told of a match in play. Findings, questions, legal plays and pip counts of a game come when that game is over, and what the rules make of the match as a whole comes when the match is over. Those who rule on it are told at once. */
  held_back: string | null;
  log_id: string;
  match_id: string;
  /** Against each seat; null = held back, as all sums. */
  points: Pair | null;
  /** Rule set that the folds asked. */
  rule_set: string;
  scores: Scores | null;
  /** Of them, those of which nobody has said. */
  undecided: Pair | null;
  /** Version shown. */
  version: number;
}

/** What one player's choices come to, as one engine with one preset judges them. */
export interface PlayerSums {
  /** Those of them that were about the cube. */
  cube_decisions: number;
  /** Decisions that count: where more than one choice matters. */
  decisions: number;
  /** Equity lost by them: normalised, cubeful. */
  lost: number;
  /** Chance of winning the match lost by them, 1 = the match; null for money. */
  lost_chance: number | null;
  /** The same for that chance. */
  lost_chance_between: Between | null;
  /** Equity that the rolls brought, less what rolls bring on average. */
  luck: number | null;
  /** The same as chance of winning the match. */
  luck_chance: number | null;
  /** Performance rating: 500 times the equity lost by a decision that counts, over their number; null = there was none. */
  pr: number | null;
  /** Where it would lie 95 times of 100, had other decisions of the same player come up; how far the engine is off, which no engine tells, is not in it. Null = fewer than 20. */
  pr_between: Between | null;
  /** Rolls whose luck was measured. */
  rolls: number;
}

/** The result on the draw sheet. */
export interface PostedOut {
  score: Pair | null;
  winner: "one" | "two" | null;
}

/** A question that the rules leave to a person; topic, at and seat name it in a ruling. */
export interface QuestionOut {
  ambiguity: string | null;
  answered: AnsweredOut | null;
  /** Entry at which it arose. */
  at: string;
  /** alarm = it needs the director; note = the players have settled it, or nobody objects; left = the director left it to rest; answered = a ruling answers it. */
  attention: string;
  /** What the text leans to; shown, never applied. */
  lean: string | null;
  /** `lean` in words. */
  leaning: SaidOut | null;
  /** The entry that left it to rest; it is still open. */
  left: LeftOut | null;
  /** What happened: `said` in English, with seats for names. */
  message: string;
  /** The readings that compete. */
  readings: string[];
  /** silent, ambiguous, not_in_hand, not_verified, not_recorded, conflict or discretion. */
  reason: string;
  rule_set: string;
  said: SaidOut;
  seat: "one" | "two" | null;
  section: string;
  /** Whose answer could be taken; shown, never applied. */
  suggest: string | null;
  topic: string;
  /** Version of that entry. */
  version: number;
}

/** One thing by which two rule sets measure differently. */
export interface ReasonOut {
  /** Name of the detail: until, by, threshold … */
  name: string;
  /** What each of them says of it, in one sentence. */
  said: SaidOut;
}

/** Who wrote an entry down. */
export interface RecorderOut {
  name: string | null;
  /** scribe, second_scribe, director, import, unlisted …; null = erased. */
  role: string | null;
  /** Of a scribe. */
  table: string | null;
  /** Why name and table are not shown. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** A result as a player reported it. */
export interface ReportOut {
  score: MaybePair;
  seat: "one" | "two";
  winner: "one" | "two" | null;
}

/** A sentence of the rule set on which a finding rests, or would rest. */
export interface RestOut {
  /** Its section, and a number where a section has several. */
  sentence: string;
  /** Hash of the sentence in hand; null = it is not in hand. */
  sha256: string | null;
}

/** A result that is not on the draw sheet yet. */
export interface ResultOut {
  by: string | null;
  confirmations: Confirmations;
  length: number | null;
  lost_on_time: "one" | "two" | null;
  match_id: string;
  names: MaybeNames;
  /** Topics of open questions on which it hangs. */
  questions: string[];
  reports: ReportOut[];
  score: Pair;
  table: string | null;
  version: number;
  winner: "one" | "two" | null;
}

/** An appeal whose end nobody has announced. */
export interface RoomAppeal {
  /** The outcome as the director announced it. */
  announced: string | null;
  /** What the rule set said to it last. */
  answer: AnswerOut | null;
  /** Opened ones; none for who is not of the case. */
  ballots: BallotOut[];
  /** The director's own ballot, where he has a vote. */
  director: string | null;
  /** Whether it does not bar the director from a ballot after the committee's. */
  director_may_vote: boolean;
  entry_id: string | null;
  /** Whether the rule set provides for a committee, or leaves open whether it does. */
  has_committee: boolean;
  /** Null while that is for a person to say. */
  is_admitted: boolean | null;
  is_refused: boolean;
  match_id: string;
  /** What the ballots make of the ruling, if settled. */
  result: AnswerOut | null;
  seat: "one" | "two" | null;
  /** Members of the committee. */
  size: number;
  state: "filed" | "voting";
  /** The `appeal.filed`; null where none is recorded. */
  version: number | null;
  /** How many ballots are in, closed ones too. */
  voted: number;
}

/** The clock of a table. */
export interface RoomClock {
  delay_ms: number;
  /** Whose reserve has run out, by the presses or as it was noticed. */
  flag: "one" | "two" | "both" | "unknown" | null;
  forfeits: Forfeits;
  /** Free time of the turn on the clock where it is not the whole delay. */
  free_ms: number | null;
  /** How it gives free time, as `clock.set` says it. */
  kind: string;
  /** Why it was paused, where it is. */
  pause_reason: string | null;
  /** Whose time ran before a pause. */
  paused: "one" | "two" | null;
  reserve_ms: MaybePair;
  running: "one" | "two" | null;
  /** Server time since which `running` runs without a stop; null = unknown. */
  running_since: number | null;
  /** Time of this turn before that. */
  since_elapsed_ms: number | null;
  /** Server time at which `at_ms` of the match is 0, by its promptest entry. */
  time_zero: number | null;
  /** How the delay of that turn is forfeited: at once, or by waiting. */
  turn_forfeit: "at_once" | "waits" | null;
  /** Reserve of the running seat when its turn began. */
  turn_reserve_ms: number | null;
}

/** The device that records a match. */
export interface RoomDevice {
  id: string;
  /** When it was heard of last, since the server's start. */
  seen_at: number | null;
  /** Entries that it had not sent, as it said. */
  unsent: number | null;
}

/** A tournament at a glance. */
export interface RoomOut {
  appeals: RoomAppeal[];
  byes: ByeOut[];
  calls: CallOut[];
  devices: DeviceOut[];
  grants: GrantOut[];
  /** Why nothing is recorded: the log is not what was signed of it; null = it is. */
  held: string | null;
  log_id: string;
  pairings: PairingOut[];
  /** What witnesses said that would not sign the log: it is not what they know. */
  refused_by: string[];
  results: ResultOut[];
  server_time_ms: number;
  tables: TableOut[];
  title: string | null;
  tournament: TournamentOut;
  /** Entries that the last backup lacks, once they are many: tablets keep what they sent until a backup holds it, up to 4,000 entries of a log; null = few, or no backup was ever made. */
  uncopied: number | null;
  /** Why the time-stamping authority did not stamp the log when it was last asked. */
  unstamped: string | null;
}

/** A question for a person. */
export interface RulingRequiredOut {
  lean: string | null;
  /** `lean` in words. */
  leaning: SaidOut | null;
  readings: string[];
  reason: string;
  suggest: string | null;
  topic: string;
}

/** A sentence, which a page fills with names, in any language. */
export interface SaidOut {
  /** Numbers, notation and ids, as they are. */
  facts: Record<string, string | number>;
  /** Words and sentences to translate by themselves. */
  parts: Record<string, SaidOut>;
  /** Seats, to be named. */
  people: Record<string, "one" | "two">;
  /** In English, `{name}` for each place; translations go by it. */
  text: string;
}

/** One recorded entry as a viewer shows it. */
export interface SceneOut {
  /** When, in ms since the appointed start. */
  at_ms: number | null;
  /** What the record waits for after it. */
  awaits: string;
  basis: string;
  before: Checkers;
  checkers: Checkers;
  clock: ClockState | null;
  /** Version of the correction in force. */
  corrected_by: number | null;
  cube: CubeOut;
  dice: (number | null)[] | null;
  entry_id: string;
  /** Plain members of the body, by name. */
  facts: Record<string, number | string>;
  file: EvidenceOut | null;
  /** Empty where they are held back. */
  findings: FindingOut[];
  frames: FrameOut[];
  /** From 1; 0 before the first. */
  game: number;
  /** Whether the game is played without a cube. */
  is_crawford: boolean;
  /** Whether it is about the record itself: no moment of the match. */
  is_custody: boolean;
  is_disputed: boolean;
  lying: LyingOut | null;
  /** What it is on a timeline. */
  marks: string[];
  on_roll: "one" | "two" | null;
  /** Role in the entry to one, two, director … */
  people: Record<string, string>;
  /** Null while the game is played. */
  pips: Pair | null;
  play: string | null;
  position_id: string | null;
  /** Who wrote its words down; null = it has none. */
  recorder: RecorderOut | null;
  /** Number of its row in a .mat file, a text, the score sheet; 0 = in none. */
  row: number;
  score: Pair;
  seat: "one" | "two" | null;
  status: "stands" | "amended" | "retracted";
  tag: string;
  /** Version of the entry that this one, or a dispute, is about. */
  target: number | null;
  to_act: "one" | "two" | null;
  /** From 1 in the game; 0 between games. */
  turn: number;
  turn_of: "one" | "two" | null;
  turn_open: "one" | "two" | null;
  version: number;
  /** What was recorded, where it was amended. */
  was: ActOut | null;
  /** What was said in it. */
  words: WordOut[];
}

/** A match for a replay viewer. */
export interface ScenesOut {
  /** Whether corrections were left unapplied. */
  as_recorded: boolean;
  /** Whether a dispute is open: then the public is shown the match as it stood before. */
  awaits_ruling: boolean;
  /** Rule set to section to what it speaks about. */
  captions: Record<string, Record<string, string | null>>;
  contrasts: ContrastOut[];
  /** What was found about corrections. */
  corrections: FindingOut[];
  disputes: DisputeOut[];
  games: GameScenesOut[];
  /** Null = nothing is left out; else the words: Only what happened is told of a match in play. Findings, questions, legal plays and pip counts of a game come when that game is over, and what the rules make of the match as a whole comes when the match is over. Those who rule on it are told at once. */
  held_back: string | null;
  /** Whether pips are told while a game is played. */
  is_trusted: boolean;
  length: number | null;
  log_id: string;
  match_id: string;
  questions: QuestionOut[];
  /** Rule set that the folds asked. */
  rule_set: string;
  scenes: SceneOut[];
  showing: ShowingOut;
  /** Decisions whose time is known. */
  thinking: ThoughtOut[];
  /** Version shown. */
  version: number;
}

/** The score, while it is open whether penalty points enter it. */
export interface Scores {
  /** With those points in a ledger of their own. */
  apart: Pair;
  /** With those points entered. */
  entered: Pair;
}

/** A second recorder's stream. */
export interface Shadow {
  device: string | null;
  /** One that it recorded, and no ruling there has settled. */
  dispute: OpenDispute | null;
  match_id: string;
}

/** The score after one game. */
export interface SheetOut {
  computed: Pair;
  /** Whose sheet differs from the games; or `sheets`. */
  differs: string[];
  game: number;
  noted: NotedBySeat;
}

/** Whom a match is shown to, and what of it is not. */
export interface ShowingOut {
  /** Why nothing is shown after `last`. */
  cut: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
  /** Whether the text that would say it is in hand. */
  is_in_hand: boolean;
  last: number | null;
  people: "all" | "posted" | "none";
  reader: "public" | "viewer" | "scribe" | "committee" | "director";
  rule_set: string;
  /** Where it says what a committee is given. */
  section: string | null;
  /** Given, though the text does not say so. */
  unstated: ("players" | "first_ruling")[];
  /** Why not everything about people is shown. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** What one rule set says to a matter. */
export interface SideOut {
  /** Code of its finding; null = it finds nothing amiss. */
  code: string | null;
  /** Whether a person has to say. */
  is_question: boolean;
  /** What the text leans to; shown, never applied. */
  leaning: SaidOut | null;
  /** `said` in English, of player one and player two. */
  message: string;
  /** Answers that compete, where somebody has to. */
  readings: string[];
  rule_set: string;
  said: SaidOut;
  section: string;
}

/** One table of the room. */
export interface TableOut {
  /** Who was called, and has not come, before the match. */
  called: ("one" | "two")[];
  clock: RoomClock | null;
  confirmations: Confirmations;
  device: RoomDevice | null;
  dispute: OpenDispute | null;
  games: number;
  is_public: boolean;
  last: LastEntry;
  late: LateOut | null;
  lease: HeldLease | null;
  length: number | null;
  /** Who has lost the match by the clock. */
  lost_on_time: "one" | "two" | null;
  match_id: string;
  /** Who has not come, called or not, before the match. */
  missing: ("one" | "two")[];
  names: MaybeNames;
  /** Who forfeits the match by not coming. */
  no_show: NoShowOut | null;
  /** Open questions that need nobody: settled by both players, or left to rest. */
  notes: number;
  /** What the table was told, in order. */
  notices: NoticeOut[];
  on_roll: "one" | "two" | null;
  /** Entries that wait for a resolution. */
  parked: number;
  penalties: Pair;
  /** The result on the draw sheet; null while there is none. */
  posted: PostedOut | null;
  /** Questions that need the director. */
  questions: number;
  round: string | null;
  rule_set: string | null;
  score: Pair;
  shadows: Shadow[];
  state: "waiting" | "live" | "ended";
  table: string | null;
  /** Penalty points of each side's players over all matches. */
  tally: Pair;
  to_act: "one" | "two" | null;
  /** What may or must still be put right. */
  windows: number;
}

/** How long one decision took. */
export interface ThoughtOut {
  /** What of that the delay covered. */
  delay_ms: number | null;
  /** What the decision is about. */
  of: "play" | "answer" | "double";
  seat: "one" | "two";
  /** Since its roll, the beginning of the turn, or the double. */
  took_ms: number;
  /** What its turn took on the clock; null where no press ended it. */
  turn_ms: number | null;
  /** Of the play, the double, or the answer to it. */
  version: number;
}

/** A tournament as it stands; personal values are null where they are not disclosed. */
export interface TournamentOut {
  /** What a new match is opened with, as members of `match.opened`: `length`, `rule_set`, `options`, `clock_terms`, `publication`, each only if it is set. */
  defaults: Record<string, any>;
  /** Last day. */
  ends_on: string | null;
  is_closed: boolean;
  /** Options in force, as declared. */
  options: Record<string, Record<string, any>>;
  organiser: string | null;
  place: string | null;
  /** In force; null = none was declared. */
  rule_set: string | null;
  /** First day, an ISO 8601 date. */
  starts_on: string | null;
  title: string | null;
  /** Version of its own stream. */
  version: number;
}

/** One thing that can or could be put right. */
export interface WindowOut {
  /** Who, in the rule set's words. */
  by: string | null;
  /** Version of the entry that shut it. */
  closed_by: number | null;
  /** Version of the entry that did it, or that noticed it. */
  entry: number;
  may: boolean;
  must: boolean;
  rule_set: string;
  seat: "one" | "two" | null;
  section: string;
  state: string;
  /** Kind of event that shuts it. */
  until: string | null;
  what: string;
}

/** What somebody said in an entry. */
export interface WordOut {
  /** A seat or an office; null = whoever recorded it. */
  by: string | null;
  /** Its member: says, ground, facts, decision, reason … */
  kind: string;
  /** Where it stands in the body. */
  path: string;
  /** Null where it is not shown. */
  text: string | null;
  /** Why it is not. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}
