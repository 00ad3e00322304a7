// Types that the modules of this folder share; never served.

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

/** Both sides' counts; null = the board is unknown. */
export type MaybeBoard = BySeat<Counts | null>;

/** How finely the arrow keys step. */
export type Step = "turns" | "entries" | "checkers";

/** Which board is shown. */
export type Tab = "before" | "after" | "disputed";

/** A place in the record: an entry, or one checker of its play. */
export interface Moment {
  scene: number;
  /** Which checker of the play; null = after the whole entry. */
  frame: number | null;
}

/** The data that the server puts into the page. */
export interface Setting {
  log: string;
  match: string;
  names: BySeat<string>;
  pinned: string;
}
