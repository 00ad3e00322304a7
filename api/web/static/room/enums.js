// Words that a member of an entry may have, as the catalogue lists them; a test holds both together.

/** What a cube may be set to. */
export const CUBES = Object.freeze(Array.from({ length: 11 }, (_, power) => String(2 ** power)));

/** What a penalty is for: `PenaltyGround`. */
export const GROUNDS = Object.freeze(["late_start", "break", "slow_play", "conduct", "wrong_length", "other"]);

/** What somebody was late for: `DelayKind`. */
export const DELAYS = Object.freeze(["start", "resumption", "break"]);

/** Acts against a player that need no more than a ground: tags. */
export const SANCTIONS = Object.freeze(["slow_play.warned", "forfeit.declared", "player.disqualified"]);

/** A ballot on an appeal: `Ballot`. */
export const BALLOTS = Object.freeze(["uphold", "reverse", "modify", "abstain"]);

/** How an appeal ends: `AppealOutcome`. */
export const OUTCOMES = Object.freeze(["upheld", "reversed", "modified"]);
