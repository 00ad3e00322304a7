// What the API answers, made of its description by `python -m tests.house.answers`.

/** One player's delays, breaks and penalties. */
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

/** The acknowledgement of a decision by the table. */
export interface Acknowledgement {
  at_ms: number | null;
  /** Who acknowledged it; null = the scribe. */
  by: string | null;
  /** Milliseconds since 1970 UTC. */
  received_at: number | null;
  version: number;
}

/** The contents of an entry: values by name, and the people in it. */
export interface ActOut {
  /** Plain members of the body, by name. */
  facts: Record<string, number | string>;
  /** Role in the entry to one, two, director … */
  people: Record<string, string>;
}

/** One turn in both records. */
export interface AlignedOut {
  /** Where the records differ: missing, dice, play, cube, won. */
  differs: string[];
  first: AlignedTurnOut | null;
  second: AlignedTurnOut | null;
}

/** One turn in one record. */
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

/** Two records of a match, compared. */
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

/** An engine's analysis of a match; derived, and not part of the record. */
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
  /** Name and revision of the preset: how deep the engine looks. */
  preset: string;
  /** Version of the match that was analysed: the last one. */
  version: number;
}

/** The rule set's answer on a matter. */
export interface AnswerOut {
  /** Answers to related questions, by name. */
  also: Record<string, AnswerOut>;
  ambiguity: string | null;
  /** Details of the outcome, by name. */
  details: Record<string, any>;
  /** Shown, never applied. */
  lean: string | Record<string, any> | null;
  /** A word that depends on the matter, or `ruling_required`. */
  outcome: string;
  readings: string[];
  /** Why a person has to rule, if one has to. */
  reason: string | null;
  /** Version of the `ruling.made` that chose the outcome. */
  ruled_at: number | null;
  section: string;
  /** Shown, never applied. */
  suggest: string | null;
  /** False = the answer is from another edition's text. */
  verified: boolean;
}

/** The ruling that answers a question. */
export interface AnsweredOut {
  /** When, milliseconds since the appointed start. */
  at_ms: number | null;
  /** The reading that was chosen. */
  reading: string;
  /** Version of the `ruling.made`. */
  version: number;
}

/** One appeal. */
export interface AppealOut {
  /** The outcome as the director announced it. */
  announced: string | null;
  /** The rule set's last answer about it. */
  answer: AnswerOut | null;
  /** Opened ballots; empty for readers outside the case. */
  ballots: BallotOut[];
  /** The director's own ballot, if he has a vote. */
  director: string | null;
  /** Whether the rule set does not exclude a director's vote after the committee's. */
  director_may_vote: boolean;
  /** Whether the rule set provides for a committee, or does not exclude one. */
  has_committee: boolean;
  /** Null = a person has to decide it. */
  is_admitted: boolean | null;
  is_refused: boolean;
  /** Outcome by the ballots, if it is settled. */
  result: AnswerOut | null;
  seat: "one" | "two" | null;
  /** Members of the committee. */
  size: number;
  /** Version of the `appeal.filed`; null = none is recorded. */
  version: number | null;
  /** Number of ballots that are in, closed ones included. */
  voted: number;
}

/** An assessed penalty. */
export interface AssessedOut {
  /** Null = not decided. */
  enters_score: boolean | null;
  /** Points, less those waived. */
  points: number;
  /** Clock time that it adds to each reserve (negative: takes), ms. */
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

/** A confidence interval. */
export interface Between {
  high: number;
  low: number;
}

/** The sums of each player. */
export interface BothSums {
  one: PlayerSums;
  two: PlayerSums;
}

/** Parked drafts of one device for one match. */
export interface BranchOut {
  device: string;
  /** In the order of the device's chain. */
  items: ParkedOut[];
  match_id: string;
  state: "open" | "resolved";
}

/** A break that was taken. */
export interface BreakOut {
  ms: number;
  /** Playing time before it, milliseconds. */
  played_ms: number | null;
}

/** A bye. */
export interface ByeOut {
  entry_id: string;
  names: (string | null)[];
  players: string[];
  round: string | null;
}

/** A call for the director. */
export interface CallOut {
  /** Entry id that the call is about. */
  about: string | null;
  /** Whether a later entry of the director answers it. */
  answered: boolean;
  at_ms: number | null;
  by: string | null;
  entry_id: string;
  /** Stream in which it was recorded; it may be a second scribe's. */
  match_id: string;
  /** Whether it is in a parked entry; `version` is then the match's last. */
  parked: boolean;
  /** Tag of that entry. */
  reason: string | null;
  received_at: number | null;
  version: number;
}

/** 26 counts for each side: borne off, points 1 to 24, bar; null = the board is unknown. */
export interface Checkers {
  one: number[] | null;
  two: number[] | null;
}

/** One choice of a player, as the engine judges it. */
export interface ChoiceOut {
  best: "play" | "no-double" | "double" | "take" | "drop" | "beaver";
  /** For a play: the best play, such as `13/7 8/7`. */
  best_play: string | null;
  /** For a play: the board after the best play. */
  checkers: Checkers | null;
  choice: "play" | "no-double" | "double" | "take" | "drop" | "beaver";
  /** Whether it counts for PR. */
  counts: boolean;
  game: number;
  /** How deep the engine looked, such as `2ply`. */
  level: string;
  /** Equity lost by it; 0 = no better choice was found. */
  lost: number;
  /** The same in match-winning chance. */
  lost_chance: number | null;
  seat: "one" | "two";
  /** Version of the entry with the choice: a play, a cube act, a roll. */
  version: number;
}

/** The clock in a line of the replay. */
export interface ClockState {
  reserve_ms: MaybePair;
  running: "one" | "two" | null;
}

/** The score that each player has confirmed since the last game ended. */
export interface Confirmations {
  one: Pair | null;
  two: Pair | null;
}

/** A difference between two rule sets. */
export interface ContrastOut {
  /** Finding of the pinned rule set. */
  against: SideOut | null;
  /** Its finding; null = none. */
  rules: SideOut | null;
  version: number;
  /** Details that differ; empty if one of them was not asked. */
  why: ReasonOut[];
}

/** The doubling cube. */
export interface CubeOut {
  offered_by: "one" | "two" | null;
  owner: "one" | "two" | null;
  value: number;
}

/** A recorded delay. */
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
  /** Table that it is assigned to. */
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

/** The provenance of one entry. */
export interface EntryProvenance {
  basis: string;
  device: string | null;
  device_seq: number | null;
  entry_id: string;
  epoch: number | null;
  global_position: number;
  /** Whether its context is available and the reader may see it. */
  is_known: boolean;
  leaf_hash: string;
  lease: number | null;
  /** By the device's clock: a claim. */
  occurred_at: number | null;
  /** How much later it was received, if by a minute or more. */
  offline_ms: number | null;
  received_at: number | null;
  /** The grant under which it was recorded. */
  recorded_by: string | null;
  /** The holder of the grant, by name or role. */
  recorder: RecorderOut | null;
  /** Null = not recorded by a paired device. */
  signature: "good" | "absent" | null;
  version: number;
}

/** A file that an entry names. */
export interface EvidenceOut {
  /** Path of the file; null if it is not shown. */
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

/** When in the film an entry happened. */
export interface FilmMomentOut {
  /** Milliseconds from the film's beginning. */
  film_ms: number;
  version: number;
}

/** A film of the match, and when in it each entry happened. */
export interface FilmOut {
  /** Entry id of its `film.attached`, which `film.aligned` refers to. */
  film_id: string;
  /** Web address where it can be watched. */
  link: string | null;
  /** Moments computed from them; entries without a known time are left out. */
  moments: FilmMomentOut[];
  /** Stated moments in force, in the order of the entries. */
  points: FilmPointOut[];
  /** Stated moments that a later one contradicts. */
  set_aside: FilmPointOut[];
  /** SHA-256 of its file, which the server need not have. */
  sha256: string | null;
  /** Version of the `film.attached`. */
  version: number;
  /** Why the link is missing, if there was one. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** A stated moment of the film at which an entry happened. */
export interface FilmPointOut {
  /** When it happened by the recorded times of the table. */
  at_ms: number | null;
  /** Entry id of the `film.aligned`; `entry.retracted` can retract it. */
  entry_id: string;
  /** Milliseconds from the film's beginning. */
  film_ms: number;
  /** Version of the entry that happens then. */
  target: number;
  /** Version of the `film.aligned`. */
  version: number;
}

/** The films of a match. */
export interface FilmsOut {
  /** Whether corrections are not applied. */
  as_recorded: boolean;
  /** Whether a dispute is open: then the public is shown the match as it stood before. */
  awaits_ruling: boolean;
  films: FilmOut[];
  /** Null = nothing is left out; else the words: Only what happened is told of a match in play. Findings, questions, legal plays and pip counts of a game come when that game is over, and what the rules make of the match as a whole comes when the match is over. Those who rule on it are told at once. */
  held_back: string | null;
  log_id: string;
  match_id: string;
  /** Whether the reader may attach and align films. */
  may_record: boolean;
  /** Rule set that the match is judged by. */
  rule_set: string;
  /** Version shown. */
  version: number;
  /** Why no film is shown; null = all are shown. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** An irregularity, or an open question. */
export interface FindingOut {
  ambiguity: string | null;
  answered_by: number | null;
  code: string;
  /** `said` in English, of player one and player two. */
  message: string;
  /** Empty if the rule set's text was read as a whole. */
  rests_on: RestOut[];
  rule_set: string;
  ruling_required: RulingRequiredOut | null;
  said: SaidOut;
  seat: "one" | "two" | null;
  section: string;
  severity: string;
  /** False = the text in force was not available for it. */
  verified: boolean;
  version: number;
}

/** How the delay of each player's next turn is forfeited; null = not forfeited. */
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
  /** Version of its first entry. */
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

/** Score and outcome under the rule set in force, from a version on. */
export interface Known {
  /** What decided the match. */
  by: string | null;
  /** Penalty points that are added to each side. */
  entered: Pair;
  /** Whether a noticed flag awaits a ruling. */
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
  /** The play, in notation; empty = no checker was moved. */
  play: string | null;
  received_at: number | null;
  seat: "one" | "two" | null;
  tag: string;
  version: number;
}

/** A match that should have begun. */
export interface LateOut {
  /** Players who have not arrived. */
  missing: ("one" | "two")[];
  /** The appointed start, milliseconds since 1970 UTC. */
  since: number;
}

/** The entry that set a question aside. */
export interface LeftOut {
  entry_id: string;
  version: number;
}

/** An act that is not judged, because the engine's input would be a guess. */
export interface LeftOutOut {
  /** Why, as a word: `illegal`, `board-unknown`, `no-roll`, `cube-void` ... */
  reason: string;
  seat: "one" | "two" | null;
  version: number;
}

/** The luck of one roll. */
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
  /** Whose dice; null = one die of each player. */
  seat: "one" | "two" | null;
}

/** Names of the players; null = not disclosed. */
export interface MaybeNames {
  one: string | null;
  two: string | null;
}

/** One number for each seat; null = unknown. */
export interface MaybePair {
  one: number | null;
  two: number | null;
}

/** A match that was forfeited before its first game. */
export interface NoShowOut {
  /** The entry that declares it; if it is retracted, the match goes on. */
  entry_id: string;
  seat: "one" | "two";
}

/** Both players' score sheets. */
export interface NotedBySeat {
  one: NotedOut | null;
  two: NotedOut | null;
}

/** A score as a keeper noted it. */
export interface NotedOut {
  score: Pair | null;
  version: number;
}

/** A decision of the director that the table is notified of. */
export interface NoticeOut {
  /** Null until the table has acknowledged it. */
  acknowledged: Acknowledgement | null;
  entry_id: string;
  tag: string;
  version: number;
}

/** A dispute without a ruling. */
export interface OpenDispute {
  at_ms: number | null;
  by: string;
  entry_id: string;
  /** Version of the last entry that both players accept. */
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
  /** The code, while it can be claimed; else null. */
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
  /** How many devices the code is for. */
  uses: number;
  /** How many more may claim it. */
  uses_left: number;
}

/** One draft that is parked. */
export interface ParkedOut {
  /** As the device signed it. */
  body: Record<string, any>;
  device_seq: number;
  /** Commitment to the value that it stands for. */
  disclosures: Record<string, any>;
  entry_id: string;
  /** Version of the match that it was recorded on. */
  expected_version: number;
  /** Its number in the log's journal, from 1. */
  journal_id: number;
  /** By the device's clock: a claim. */
  occurred_at: number | null;
  /** Why the match could not take it. */
  reason: string;
  received_at: number;
  tag: string;
  /** Version of the match when the draft arrived. */
  version_then: number | null;
}

/** Penalties at one moment. */
export interface PenaltiesOut {
  accounts: Accounts;
  /** The breaks that a player may take. */
  allowance: AnswerOut | null;
  /** Whether corrections are not applied. */
  as_recorded: boolean;
  /** Whether a dispute is open: then the public is shown the match as it stood before. */
  awaits_ruling: boolean;
  /** Those of them that enter the score. */
  entering: Pair | null;
  /** Seat whose points forfeit the match. */
  forfeited: "one" | "two" | null;
  /** Null = nothing is left out; else the words: Only what happened is told of a match in play. Findings, questions, legal plays and pip counts of a game come when that game is over, and what the rules make of the match as a whole comes when the match is over. Those who rule on it are told at once. */
  held_back: string | null;
  log_id: string;
  match_id: string;
  /** Points against each seat; null = held back, like all sums. */
  points: Pair | null;
  /** Rule set that the match is judged by. */
  rule_set: string;
  scores: Scores | null;
  /** Those of them for which that is not decided. */
  undecided: Pair | null;
  /** Version shown. */
  version: number;
}

/** Sums over one player's choices, as one engine with one preset judges them. */
export interface PlayerSums {
  /** Those of them that are about the cube. */
  cube_decisions: number;
  /** Decisions that count: those where the choice matters. */
  decisions: number;
  /** Equity lost by these decisions: normalised, cubeful. */
  lost: number;
  /** Match-winning chance lost by them, from 0 to 1; null for money. */
  lost_chance: number | null;
  /** The same interval for `lost_chance`. */
  lost_chance_between: Between | null;
  /** Equity that the rolls gained, less the average over all rolls. */
  luck: number | null;
  /** The same in match-winning chance. */
  luck_chance: number | null;
  /** Performance rating: 500 times the equity lost by a decision that counts, over their number; null = there was none. */
  pr: number | null;
  /** 95 % confidence interval for the chance in which decisions came up; it does not include the engine's own errors. Null = fewer than 20 decisions. */
  pr_between: Between | null;
  /** Rolls whose luck was measured. */
  rolls: number;
}

/** The result on the draw sheet. */
export interface PostedOut {
  score: Pair | null;
  winner: "one" | "two" | null;
}

/** A question that the rules leave to a person; a ruling names it by topic, at and seat. */
export interface QuestionOut {
  ambiguity: string | null;
  answered: AnsweredOut | null;
  /** Id of the entry at which it arose. */
  at: string;
  /** alarm = it needs the director; note = the players have settled it, or there is no objection; left = the director set it aside; answered = a ruling answers it. */
  attention: string;
  /** The reading that the text favours; shown, never applied. */
  lean: string | null;
  /** `lean` in words. */
  leaning: SaidOut | null;
  /** The entry that set it aside; it is still open. */
  left: LeftOut | null;
  /** What happened: `said` in English, with seats instead of names. */
  message: string;
  /** The readings that compete. */
  readings: string[];
  /** silent, ambiguous, not_in_hand, not_verified, not_recorded, conflict or discretion. */
  reason: string;
  rule_set: string;
  said: SaidOut;
  seat: "one" | "two" | null;
  section: string;
  /** The rule set whose answer could be used; shown, never applied. */
  suggest: string | null;
  topic: string;
  /** Version of that entry. */
  version: number;
}

/** One detail on which two rule sets differ. */
export interface ReasonOut {
  /** Name of the detail: until, by, threshold … */
  name: string;
  /** Each rule set's version, in one sentence. */
  said: SaidOut;
}

/** The recorder of an entry. */
export interface RecorderOut {
  name: string | null;
  /** scribe, second_scribe, director, import, unlisted …; null = erased. */
  role: string | null;
  /** Table of a scribe. */
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

/** A sentence of the rule set on which a finding is based, or would be. */
export interface RestOut {
  /** Its section, with a number if the section has several. */
  sentence: string;
  /** Hash of the sentence in the loaded text; null = not loaded. */
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
  /** Topics of open questions that it depends on. */
  questions: string[];
  reports: ReportOut[];
  score: Pair;
  table: string | null;
  version: number;
  winner: "one" | "two" | null;
}

/** An appeal whose outcome is not announced. */
export interface RoomAppeal {
  /** The outcome as the director announced it. */
  announced: string | null;
  /** The rule set's last answer about it. */
  answer: AnswerOut | null;
  /** Opened ballots; empty for readers outside the case. */
  ballots: BallotOut[];
  /** The director's own ballot, if he has a vote. */
  director: string | null;
  /** Whether the rule set does not exclude a director's vote after the committee's. */
  director_may_vote: boolean;
  entry_id: string | null;
  /** Whether the rule set provides for a committee, or does not exclude one. */
  has_committee: boolean;
  /** Null = a person has to decide it. */
  is_admitted: boolean | null;
  is_refused: boolean;
  match_id: string;
  /** Outcome by the ballots, if it is settled. */
  result: AnswerOut | null;
  seat: "one" | "two" | null;
  /** Members of the committee. */
  size: number;
  state: "filed" | "voting";
  /** Version of the `appeal.filed`; null = none is recorded. */
  version: number | null;
  /** Number of ballots that are in, closed ones included. */
  voted: number;
}

/** The clock of a table. */
export interface RoomClock {
  delay_ms: number;
  /** Seats whose reserve has run out, as computed or as noticed. */
  flag: "one" | "two" | "both" | "unknown" | null;
  forfeits: Forfeits;
  /** Free time of the current turn, if it is not the whole delay. */
  free_ms: number | null;
  /** How it gives free time: `kind` of `clock.set`. */
  kind: string;
  /** Why it is paused, if it is. */
  pause_reason: string | null;
  /** Seat whose time ran before a pause. */
  paused: "one" | "two" | null;
  reserve_ms: MaybePair;
  running: "one" | "two" | null;
  /** Server time since which `running` has run without a stop; null = unknown. */
  running_since: number | null;
  /** Time of this turn before `running_since`, milliseconds. */
  since_elapsed_ms: number | null;
  /** Server time at which `at_ms` of the match is 0, by its promptest entry. */
  time_zero: number | null;
  /** How the delay of the current turn is forfeited: at once, or by waiting. */
  turn_forfeit: "at_once" | "waits" | null;
  /** Reserve of the running seat when its turn began. */
  turn_reserve_ms: number | null;
}

/** The device that records a match. */
export interface RoomDevice {
  id: string;
  /** When it was last heard from, since the server's start. */
  seen_at: number | null;
  /** Number of entries that it had not sent, as it reported. */
  unsent: number | null;
}

/** A tournament at a glance. */
export interface RoomOut {
  appeals: RoomAppeal[];
  byes: ByeOut[];
  calls: CallOut[];
  devices: DeviceOut[];
  grants: GrantOut[];
  /** Why nothing is recorded: the log is not the signed one; null = it is. */
  held: string | null;
  log_id: string;
  pairings: PairingOut[];
  /** Answers of witnesses that refused to sign: it is not the log they know. */
  refused_by: string[];
  results: ResultOut[];
  server_time_ms: number;
  tables: TableOut[];
  title: string | null;
  tournament: TournamentOut;
  /** Number of entries that the last backup lacks, once they are many: tablets keep their entries until a backup holds them, up to 4,000 of a log; null = few, or no backup yet. */
  uncopied: number | null;
  /** Why the time-stamping authority did not stamp the log when it was last asked. */
  unstamped: string | null;
}

/** A question that a person has to decide. */
export interface RulingRequiredOut {
  lean: string | null;
  /** `lean` in words. */
  leaning: SaidOut | null;
  readings: string[];
  reason: string;
  suggest: string | null;
  topic: string;
}

/** A sentence with places that a page fills with names, in any language. */
export interface SaidOut {
  /** Place to a number, notation or id, shown as it is. */
  facts: Record<string, string | number>;
  /** Place to a word or sentence with its own translation. */
  parts: Record<string, SaidOut>;
  /** Place to a seat, to be shown by name. */
  people: Record<string, "one" | "two">;
  /** English text with `{name}` for each place; the key of translations. */
  text: string;
}

/** One recorded entry as a viewer shows it. */
export interface SceneOut {
  /** When, in ms since the appointed start. */
  at_ms: number | null;
  /** The kind of act that is expected after it. */
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
  /** Empty if they are held back. */
  findings: FindingOut[];
  frames: FrameOut[];
  /** Number of the game, from 1; 0 before the first. */
  game: number;
  /** Whether the game is played without a cube. */
  is_crawford: boolean;
  /** Whether it is about the record itself, and not a moment of the match. */
  is_custody: boolean;
  is_disputed: boolean;
  lying: LyingOut | null;
  /** Its mark on a timeline. */
  marks: string[];
  on_roll: "one" | "two" | null;
  /** Role in the entry to one, two, director … */
  people: Record<string, string>;
  /** Null while the game is played. */
  pips: Pair | null;
  play: string | null;
  position_id: string | null;
  /** Who recorded its statements; null = it has none. */
  recorder: RecorderOut | null;
  /** Number of its row in a .mat file, a text, the score sheet; 0 = none. */
  row: number;
  score: Pair;
  seat: "one" | "two" | null;
  status: "stands" | "amended" | "retracted";
  tag: string;
  /** Version of the entry that this one, or a dispute, is about. */
  target: number | null;
  to_act: "one" | "two" | null;
  /** Number of the turn in the game, from 1; 0 between games. */
  turn: number;
  turn_of: "one" | "two" | null;
  turn_open: "one" | "two" | null;
  version: number;
  /** The original contents, if it was amended. */
  was: ActOut | null;
  /** Statements in it. */
  words: WordOut[];
}

/** A match for a replay viewer. */
export interface ScenesOut {
  /** Whether corrections are not applied. */
  as_recorded: boolean;
  /** Whether a dispute is open: then the public is shown the match as it stood before. */
  awaits_ruling: boolean;
  /** Rule set to section to its subject. */
  captions: Record<string, Record<string, string | null>>;
  contrasts: ContrastOut[];
  /** Findings about corrections. */
  corrections: FindingOut[];
  disputes: DisputeOut[];
  games: GameScenesOut[];
  /** Null = nothing is left out; else the words: Only what happened is told of a match in play. Findings, questions, legal plays and pip counts of a game come when that game is over, and what the rules make of the match as a whole comes when the match is over. Those who rule on it are told at once. */
  held_back: string | null;
  /** Whether pip counts are shown while a game is played. */
  is_trusted: boolean;
  length: number | null;
  log_id: string;
  match_id: string;
  questions: QuestionOut[];
  /** Rule set that the match is judged by. */
  rule_set: string;
  scenes: SceneOut[];
  showing: ShowingOut;
  /** Decisions whose time is known. */
  thinking: ThoughtOut[];
  /** Version shown. */
  version: number;
}

/** The score in both ways, while it is undecided whether penalty points enter it. */
export interface Scores {
  /** Score without the penalty points, which are kept apart. */
  apart: Pair;
  /** Score with the penalty points. */
  entered: Pair;
}

/** A second recorder's stream. */
export interface Shadow {
  device: string | null;
  /** A dispute in this stream without a ruling. */
  dispute: OpenDispute | null;
  match_id: string;
}

/** The score after one game. */
export interface SheetOut {
  computed: Pair;
  /** Whose sheet differs from the games; `sheets` = from each other. */
  differs: string[];
  game: number;
  noted: NotedBySeat;
}

/** The reader that a match is shown to, and what is withheld from him. */
export interface ShowingOut {
  /** Why nothing is shown after `last`. */
  cut: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
  /** Whether the rule set's text about it is available. */
  is_in_hand: boolean;
  last: number | null;
  people: "all" | "posted" | "none";
  reader: "public" | "viewer" | "scribe" | "committee" | "director";
  rule_set: string;
  /** Section that says what a committee is given. */
  section: string | null;
  /** Things that are given although the text does not mention them. */
  unstated: ("players" | "first_ruling")[];
  /** Why some values about people are not shown. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}

/** One rule set's finding on a matter. */
export interface SideOut {
  /** Code of its finding; null = no finding. */
  code: string | null;
  /** Whether a person has to decide. */
  is_question: boolean;
  /** The answer that the text favours; shown, never applied. */
  leaning: SaidOut | null;
  /** `said` in English, of player one and player two. */
  message: string;
  /** Competing answers, if a person has to decide. */
  readings: string[];
  rule_set: string;
  said: SaidOut;
  section: string;
}

/** One table of the room. */
export interface TableOut {
  /** Before the match: players who were called and have not come. */
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
  /** Seat that has lost the match on time. */
  lost_on_time: "one" | "two" | null;
  match_id: string;
  /** Before the match: players who have not come, called or not. */
  missing: ("one" | "two")[];
  names: MaybeNames;
  /** A forfeit of the match for not coming. */
  no_show: NoShowOut | null;
  /** Open questions that need no ruling: settled by both players, or set aside. */
  notes: number;
  /** Decisions that the table was notified of, in order. */
  notices: NoticeOut[];
  on_roll: "one" | "two" | null;
  /** Number of parked entries that wait for a resolution. */
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
  /** Number of things that may or must still be corrected. */
  windows: number;
}

/** The time that one decision took. */
export interface ThoughtOut {
  /** Part of that time that the delay covered, ms. */
  delay_ms: number | null;
  /** What the decision is about. */
  of: "play" | "answer" | "double";
  seat: "one" | "two";
  /** Time since the roll, the start of the turn, or the double, ms. */
  took_ms: number;
  /** Clock time of its turn, ms; null = no press ended the turn. */
  turn_ms: number | null;
  /** Version of the play, the double, or the answer to a double. */
  version: number;
}

/** A tournament's current description; undisclosed personal values are null. */
export interface TournamentOut {
  /** Defaults for new matches, as members of `match.opened`: `length`, `rule_set`, `options`, `clock_terms`, `publication`, each only if it is set. */
  defaults: Record<string, any>;
  /** Last day. */
  ends_on: string | null;
  is_closed: boolean;
  /** Options in force, as declared. */
  options: Record<string, Record<string, any>>;
  organiser: string | null;
  place: string | null;
  /** Rule set in force; null = none was declared. */
  rule_set: string | null;
  /** First day, an ISO 8601 date. */
  starts_on: string | null;
  title: string | null;
  /** Version of its own stream. */
  version: number;
}

/** One thing that can or could be corrected. */
export interface WindowOut {
  /** Who may correct it, in the rule set's words. */
  by: string | null;
  /** Version of the entry that closed it. */
  closed_by: number | null;
  /** Version of the entry that caused it, or that noticed it. */
  entry: number;
  may: boolean;
  must: boolean;
  rule_set: string;
  seat: "one" | "two" | null;
  section: string;
  state: string;
  /** Kind of event that closes it. */
  until: string | null;
  what: string;
}

/** A statement of a person in an entry. */
export interface WordOut {
  /** A seat or an office; null = the recorder of the entry. */
  by: string | null;
  /** Name of the member: says, ground, facts, decision, reason … */
  kind: string;
  /** Path of the member in the body. */
  path: string;
  /** Null if it is not shown. */
  text: string | null;
  /** Why it is not shown. */
  withheld: "not_public" | "kept_from_players" | "players_secret" | "no_appeals" | "names_somebody" | "unchecked" | "first_ruling" | "erased" | "missing" | null;
}
