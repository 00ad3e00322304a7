// Values of some members of entries, as the catalogue lists them; a test compares both.

/** Values that a cube may be set to. */
export const CUBES = Object.freeze(Array.from({ length: 11 }, (_, power) => String(2 ** power)));

/** Grounds of penalties: `PenaltyGround`. */
export const GROUNDS = Object.freeze(["late_start", "break", "slow_play", "conduct", "wrong_length", "other"]);

/** What a player was late for: `DelayKind`. */
export const DELAYS = Object.freeze(["start", "resumption", "break"]);

/** Tags of acts against a player that need only a ground. */
export const SANCTIONS = Object.freeze(["slow_play.warned", "forfeit.declared", "player.disqualified"]);

/** Whether an appeal is about facts or rules: `AppealOn`. */
export const APPEALS_ON = Object.freeze(["fact", "rule", "fact_and_rule"]);
