// Words that a member of an entry may have, as the catalogue lists them; a test holds both together.

/** What a cube may be set to. */
export const CUBES = Object.freeze(Array.from({ length: 11 }, (_, power) => String(2 ** power)));

/** What a penalty is for: `PenaltyGround`. */
export const GROUNDS = Object.freeze(["late_start", "break", "slow_play", "conduct", "wrong_length", "other"]);

/** What somebody was late for: `DelayKind`. */
export const DELAYS = Object.freeze(["start", "resumption", "break"]);

/** Acts against a player that need no more than a ground: tags. */
export const SANCTIONS = Object.freeze(["slow_play.warned", "forfeit.declared", "player.disqualified"]);

/** Whether an appeal is of fact or of rule: `AppealOn`. */
export const APPEALS_ON = Object.freeze(["fact", "rule", "fact_and_rule"]);
