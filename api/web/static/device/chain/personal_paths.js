// Where bodies hold personal values, by tag; generated from the catalogue by a test.

/** @type {Record<string, readonly (readonly string[])[]>} */
export const PERSONAL_PATHS = {
  "tournament.opened": [
    ["organiser"],
    ["place"],
    ["starts_on"],
  ],
  "tournament.described": [
    ["organiser"],
    ["place"],
    ["starts_on"],
    ["ends_on"],
    ["reason"],
  ],
  "tournament.defaults_declared": [
    ["reason"],
  ],
  "player.registered": [
    ["name"],
    ["federation_id"],
    ["club"],
    ["country"],
    ["rating"],
    ["division"],
  ],
  "bye.given": [
    ["round"],
  ],
  "bye.withdrawn": [
    ["reason"],
  ],
  "access.granted": [
    ["holder"],
  ],
  "access.seated": [
    ["holder"],
  ],
  "access.revoked": [
    ["reason"],
  ],
  "match.opened": [
    ["players", "one", "*", "name"],
    ["players", "one", "*", "federation_id"],
    ["players", "one", "*", "club"],
    ["players", "one", "*", "country"],
    ["players", "one", "*", "rating"],
    ["players", "two", "*", "name"],
    ["players", "two", "*", "federation_id"],
    ["players", "two", "*", "club"],
    ["players", "two", "*", "country"],
    ["players", "two", "*", "rating"],
    ["event"],
    ["round"],
    ["table"],
    ["division"],
    ["place"],
    ["date"],
    ["appointed_start"],
    ["source", "name"],
    ["source", "headers"],
    ["transcriber"],
  ],
  "match.deciding_game_ordered": [
    ["reason"],
  ],
  "match.cancelled": [
    ["reason"],
  ],
  "result.corrected": [
    ["reason"],
  ],
  "equipment.agreed": [
    ["detail"],
  ],
  "equipment.changed": [
    ["detail"],
  ],
  "monitor.appointed": [
    ["monitor"],
  ],
  "spectator.reported": [
    ["detail"],
  ],
  "spectator.barred": [
    ["spectator"],
    ["reason"],
  ],
  "recording.consented": [
    ["scope"],
  ],
  "recording.objected": [
    ["scope"],
  ],
  "delay.excused": [
    ["reason"],
  ],
  "clock.adjusted": [
    ["reason"],
  ],
  "dice.voided": [
    ["note"],
  ],
  "handling.noted": [
    ["detail"],
  ],
  "claim.ruled": [
    ["reason"],
  ],
  "penalty.assessed": [
    ["reason"],
  ],
  "penalty.waived": [
    ["reason"],
  ],
  "sanction.imposed": [
    ["detail"],
  ],
  "player.disqualified": [
    ["reason"],
  ],
  "dispute.raised": [
    ["readings", "*", "says"],
  ],
  "table.disturbed": [
    ["detail"],
  ],
  "evidence.attached": [
    ["source"],
  ],
  "testimony.given": [
    ["says"],
  ],
  "question.left": [
    ["reason"],
  ],
  "ruling.made": [
    ["facts"],
    ["decision"],
    ["intended_action"],
  ],
  "appeal.filed": [
    ["ground"],
  ],
  "appeal.refused": [
    ["reason"],
  ],
  "committee.convened": [
    ["members", "*", "name"],
  ],
  "committee.member_recused": [
    ["reason"],
  ],
  "committee.leak_noted": [
    ["detail"],
  ],
  "pack.issued": [
    ["to"],
  ],
  "appeal.decided": [
    ["decision"],
  ],
  "entry.retracted": [
    ["reason"],
  ],
  "entry.amended": [
    ["reason"],
  ],
  "moment.marked": [
    ["note"],
  ],
  "branch.resolved": [
    ["reason"],
  ],
  "lease.granted": [
    ["table"],
  ],
  "disclosure.erased": [
    ["reason"],
  ],
  "publication.withheld": [
    ["reason"],
  ],
};
