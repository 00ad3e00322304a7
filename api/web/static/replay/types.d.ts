// What the modules of this folder hand to one another; never served.

import type { BySeat, Counts } from "../shared/types";

export type {
  ActOut as Act,
  AnalysisOut as Analysis,
  ChoiceOut as Choice,
  AlignedTurnOut as AlignedTurn,
  AlignmentOut as Alignment,
  EntryProvenance as Provenance,
  FilmOut as Film,
  FilmsOut as Films,
  FindingOut as Finding,
  FrameOut as Frame,
  GameScenesOut as Game,
  SaidOut as Said,
  SceneOut as Scene,
  ScenesOut as Match,
  ShowingOut as Showing,
  SideOut as Side,
  WindowOut as Window,
} from "../shared/answers";

/** Both sides' counts; null while the board is unknown. */
export type MaybeBoard = BySeat<Counts | null>;

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
