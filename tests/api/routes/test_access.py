"""Who may do what: tokens, roles, scopes, private and public matches, and what names are shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import ModuleType
from typing import Any

import orjson
import pytest

from api.routes import leases, rounds
from api.routes.exports import FORMATS
from events.payloads.access import Role
from events.payloads.tournament import TournamentRulesDeclared
from tests.api.devices import Tablet
from tests.api.routes.conftest import door_behind

MATCH_PATHS = (
    "",
    "/events",
    "/replay",
    "/position",
    "/score",
    "/clock",
    "/findings",
    *(f"/export.{ending}" for ending in FORMATS),
    "/export",
    "/live",
)
PAGE = "/matches/club/m1"
RULING = {"answers": []}
ASKED = "5c3e2f60-6d0a-4d5e-9d0e-6a1f0d0c7b11"


def paths() -> list[str]:
    return [f"/logs/club/matches/m1{path}" for path in MATCH_PATHS] + [PAGE]


@pytest.mark.parametrize("path", paths())
async def test_a_private_match_is_not_for_the_public(api: Any, path: str) -> None:
    await api.open()
    answer = await api.get(path)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["type"] == "/problems/not-authenticated"


@pytest.mark.parametrize("path", paths())
async def test_a_private_match_is_not_for_a_foreign_token(api: Any, path: str) -> None:
    await api.open()
    api.archive.open_tournament("elsewhere", "Another club")
    answer = await api.get(path, api.token(Role.DIRECTOR, log="elsewhere"))
    assert answer.status_code == 403
    assert answer.json()["type"] == "/problems/not-permitted"
    assert answer.json()["needs"]


async def test_a_token_of_another_match_reads_its_own_only(api: Any) -> None:
    await api.open()
    await api.open("m2")
    token = api.token(Role.VIEWER, match="m2")
    assert (await api.get("/logs/club/matches/m2", token)).status_code == 200
    assert (await api.get("/logs/club/matches/m1", token)).status_code == 403
    listed = await api.get("/logs/club/matches", token)
    assert [row["match_id"] for row in listed.json()["matches"]] == ["m2"]


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Basic abc", "Bearer nonsense", "x", ""])
async def test_what_is_no_token_in_force_is_401(api: Any, make: Any, header: str) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    for method, path in (("GET", "/logs/club/matches/m1"), ("GET", "/logs"), ("POST", "/logs")):
        answer = await api.http.request(method, path, headers={"Authorization": header})
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_no_write_without_a_token(api: Any, make: Any) -> None:
    await api.open()
    path = "/logs/club/matches/m1/events"
    answer = await api.post(path, {"entries": [make("turn.ended", seat="one")]}, If_Match="*")
    assert answer.status_code == 401
    assert (await api.post("/logs", {"title": "x"})).status_code == 401
    assert (await api.post("/logs/club/matches", {"opened": {}})).status_code == 401
    assert api.version() == 1


@pytest.mark.parametrize("log_id", ["club", "archive"])
async def test_what_was_permitted_before_a_revocation_is_not_recorded_behind_it(
    begun: Any, make: Any, monkeypatch: pytest.MonkeyPatch, log_id: str
) -> None:
    archive = begun.archive
    token, grant = archive.grant(Role.DIRECTOR, log_id=log_id)
    append = archive.writer.append

    def revoke_first(unit: Any) -> Any:
        monkeypatch.undo()
        archive.revoke(grant, log_id=log_id)
        return append(unit)

    size = begun.version()
    monkeypatch.setattr(archive.writer, "append", revoke_first)
    refused = await begun.append(make("dice.rolled", seat="two", dice=[6, 4]), token=token)
    assert (refused.status_code, begun.version()) == (403, size)


@pytest.mark.parametrize("log_id", ["club", "archive"])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("rounds", {"text": "player\nNina Novak", "request_id": ASKED}),
        ("players/p1", {"name": "Ada Alt", "request_id": ASKED}),
        ("shadows", {"device": "tablet-9", "match": "m1"}),
    ],
)
async def test_what_is_written_together_is_not_recorded_behind_a_revocation(
    begun: Any,
    make: Any,
    monkeypatch: pytest.MonkeyPatch,
    log_id: str,
    path: str,
    body: dict[str, Any],
) -> None:
    archive = begun.archive
    said = [
        make("player.registered", player="p1", name="Ada"),
        make("access.granted", **Tablet("tablet-9").granted()),
    ]
    headers = {"Authorization": f"Bearer {begun.director}", "If-Match": "*"}
    await begun.http.post("/logs/club/events", headers=headers, json={"entries": said})
    token, grant = archive.grant(Role.DIRECTOR, log_id=log_id)
    desk = door_behind(begun.http).desk
    unit = desk.unit

    def revoke_first(*given: Any, **more: Any) -> Any:
        monkeypatch.undo()
        archive.revoke(grant, log_id=log_id)
        return unit(*given, **more)

    size = begun.size()
    monkeypatch.setattr(desk, "unit", revoke_first)
    refused = await begun.post(f"/logs/club/{path}", body, token)
    assert (refused.status_code, begun.size() - size) == (401, log_id == "club"), refused.text


async def test_a_grant_of_another_one_keeps_nobody_from_what_he_was_recording(
    begun: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = begun.archive.writer.append

    def grant_first(unit: Any) -> Any:
        monkeypatch.undo()
        begun.token(Role.VIEWER)
        return append(unit)

    monkeypatch.setattr(begun.archive.writer, "append", grant_first)
    assert (await begun.append(make("dice.rolled", seat="two", dice=[6, 4]))).status_code == 201


@pytest.mark.parametrize(
    ("path", "module", "deciding", "body"),
    [
        ("rounds", rounds, "_plan", {"text": "player\nNina Novak", "request_id": ASKED}),
        ("shadows", leases, "_shadow", {"device": "tablet-9", "match": "m1"}),
    ],
)
async def test_what_is_written_together_is_recorded_while_others_write_to_the_tournament(
    begun: Any,
    make: Any,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    module: ModuleType,
    deciding: str,
    body: dict[str, Any],
) -> None:
    granted = make("access.granted", **Tablet("tablet-9").granted())
    headers = {"Authorization": f"Bearer {begun.director}", "If-Match": "*"}
    await begun.http.post("/logs/club/events", headers=headers, json={"entries": [granted]})
    decided = getattr(module, deciding)

    def declare_first(*given: Any) -> Any:
        # The grant has been looked up, and only now, each time, it is decided what to write.
        declared = begun.archive.draft(TournamentRulesDeclared(rule_set="common"))
        begun.archive.append("club", "tournament", [declared])
        return decided(*given)

    monkeypatch.setattr(module, deciding, declare_first)
    answer = await begun.post(f"/logs/club/{path}", body, begun.director)
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("path", ["/logs/club/matches/m1/events", "/logs/club/rounds"])
async def test_a_body_that_comes_in_after_a_revocation_says_nothing_any_more(
    begun: Any, make: Any, path: str
) -> None:
    token, grant = begun.archive.grant(Role.DIRECTOR, log_id="club")
    size = begun.size()

    async def dribbled() -> AsyncIterator[bytes]:
        body = orjson.dumps({"entries": [make("dice.rolled", seat="two", dice=[6, 4])]})
        yield body[:9]
        begun.archive.revoke(grant, log_id="club")
        yield body[9:]

    headers = {"Authorization": f"Bearer {token}", "If-Match": "*"}
    answer = await begun.http.post(path, headers=headers, content=dribbled())
    assert (answer.status_code, begun.size()) == (401, size + 1)


async def test_a_revoked_token_is_401_at_once(api: Any, make: Any) -> None:
    await api.open()
    token, grant = api.archive.grant(Role.SCRIBE, log_id="club")
    assert (await api.append(make("turn.ended", seat="one"), token=token)).status_code == 201
    revoked = make("access.revoked", target=grant)
    answer = await api.post("/logs/club/events", {"entries": [revoked]}, api.director, If_Match="*")
    assert answer.status_code == 201
    answer = await api.append(make("turn.ended", seat="one"), token=token)
    assert answer.status_code == 401
    assert (await api.get("/logs/club/matches/m1", token)).status_code == 401
    assert api.version() == 2


async def test_a_scribe_of_one_match_writes_no_other(api: Any, make: Any) -> None:
    await api.open()
    await api.open("m2")
    token = api.token(Role.SCRIBE, match="m1")
    entry = make("turn.ended", seat="one")
    assert (await api.append(entry, token=token)).status_code == 201
    answer = await api.append(make("turn.ended", seat="one"), match="m2", token=token)
    assert answer.status_code == 403
    opened = await api.open("m3", token=token)
    assert opened.status_code == 403
    assert (api.version("m2"), api.version("m3")) == (1, 0)


async def test_a_viewer_only_reads(api: Any, make: Any) -> None:
    await api.open()
    token = api.token(Role.VIEWER)
    assert (await api.get("/logs/club/matches/m1/replay", token)).status_code == 200
    answer = await api.append(make("turn.ended", seat="one"), token=token)
    assert answer.status_code == 403
    assert "scribe" in answer.json()["needs"]


async def test_a_committees_grant_over_a_match_appends_nothing(api: Any, make: Any) -> None:
    await api.open()
    token = api.token(Role.COMMITTEE)
    answer = await api.append(make("turn.ended", seat="one"), token=token)
    assert answer.status_code == 403
    vote = make("vote.cast", member="a", vote="uphold")
    answer = await api.append(vote, token=token)
    assert answer.status_code == 403
    assert "desk of the case" in answer.json()["needs"]
    assert (await api.append(make("vote.cast", member="a", vote="x"))).status_code == 403


@pytest.mark.parametrize("rule_set", ["biba-2014", "usbgf-2017-09"])
async def test_no_entry_leads_a_committee_that_must_not_know_to_who_plays(
    api: Any, make: Any, begin: Any, rule_set: str
) -> None:
    known = {"id": "p-17", "name": "Ann Berg"}
    public = {"public": True, "delay_ms": 0}
    await api.open("m2", players={"one": [known], "two": [{"name": "Bo"}]}, publication=public)
    await api.open(rule_set=rule_set, players={"one": [known], "two": [{"name": "Cy"}]})
    typed = make("equipment.agreement_ended", item="anns_dice")
    await api.append(typed, *begin(), token=api.director)
    # By the id everybody finds the name, in a match that is public.
    everybody = (await api.get("/logs/club/matches/m2/events")).json()["entries"][0]
    assert ("p-17" in str(everybody["body"]), "Ann Berg" in str(everybody)) == (True, True)
    is_kept = rule_set == "biba-2014"
    committee = api.token(Role.COMMITTEE)
    for path in ("events", "export.jsonl"):
        answer = await api.get(f"/logs/club/matches/m1/{path}", committee)
        assert answer.status_code == 200, answer.text
        for telling in ("p-17", "Ann", "anns"):
            assert (telling in answer.text) is not is_kept, (path, telling)
        assert "dice.opening_rolled" in answer.text
    entries = (await api.get("/logs/club/matches/m1/events", committee)).json()["entries"]
    whys = [(one["tag"], one.get("withheld"), one["body"] == {}) for one in entries[:4]]
    assert whys == [
        ("match.opened", "players" if is_kept else None, is_kept),
        (typed["tag"], "players" if is_kept else None, is_kept),
        ("game.started", None, True),
        ("dice.opening_rolled", None, False),
    ]
    assert "p-17" in (await api.get("/logs/club/matches/m1/events", api.director)).text
    # Nor by the match to which a player of this one has gone on.
    after = make("match.next_started", seats=["one"], match="m2")
    assert (await api.append(after, token=api.director)).status_code == 201
    for path in ("events", "scenes", "export.jsonl"):
        told = (await api.get(f"/logs/club/matches/m1/{path}", committee)).text
        assert ("m2" in told) is not is_kept, path
        assert "match.next_started" in told
    # A name that somebody typed into another field is shown by no page and no file.
    word = "mixing_of_dice"
    await api.append(make("equipment.agreement_ended", item=word), token=api.director)
    for path in ("scenes", "scenes?as_recorded=true", "export.txt", "export.html", "export.sgf"):
        told = (await api.get(f"/logs/club/matches/m1/{path}", committee)).text
        assert ("anns" in told, word in told) == (not is_kept, True), path


@pytest.mark.parametrize(
    ("tag", "body"),
    [
        ("ruling.made", {}),
        ("penalty.assessed", {}),
        ("forfeit.declared", {}),
        ("publication.released", {}),
        ("committee.convened", {}),
        ("vote.director_cast", {}),
        ("result.corrected", {}),
        ("clock.adjusted", {}),
    ],
)
async def test_what_a_director_decides_is_not_a_scribes(
    api: Any, make: Any, tag: str, body: dict[str, Any]
) -> None:
    await api.open()
    answer = await api.append(make(tag, **body))
    assert answer.status_code == 403
    assert api.version() == 1


async def test_a_scribe_corrects_no_director_and_nothing_into_a_ruling(api: Any, make: Any) -> None:
    await api.open()
    released = make("publication.released")
    await api.append(released, token=api.director)
    penalty = make("slow_play.warned", seat="one")
    await api.append(penalty, token=api.director)
    turn = make("turn.ended", seat="one")
    await api.append(turn)
    version = api.version()
    refused = [
        make("entry.retracted", target=penalty["entry_id"]),
        make("entry.amended", target=penalty["entry_id"], tag="turn.ended", body={"seat": "one"}),
        make(
            "entry.amended", target=turn["entry_id"], tag="slow_play.warned", body={"seat": "one"}
        ),
    ]
    for entry in refused:
        answer = await api.append(entry)
        assert answer.status_code == 403, answer.text
    assert api.version() == version
    assert (await api.append(make("entry.retracted", target=turn["entry_id"]))).status_code == 201


async def test_logs_are_opened_by_an_archivist_of_the_archive(api: Any) -> None:
    local = api.token(Role.ARCHIVIST)
    for token in (api.director, api.scribe, local):
        answer = await api.post("/logs", {"title": "x", "log_id": "x"}, token)
        assert answer.status_code == 403
        assert answer.json()["needs"] == "archivist of the archive"
    director = api.token(Role.DIRECTOR, log="archive")
    assert (await api.post("/logs", {"title": "x", "log_id": "x"}, director)).status_code == 403


async def test_a_grant_over_http_lets_its_token_in(api: Any, make: Any) -> None:
    await api.open()
    token = "ab" * 32
    granted = make(
        "access.granted",
        token_sha256="5b1a3d51a02d8e9a6a93d3ff6db3c61d0bd8f3d1ad2e9a0d3ff8a2a1b0a3c4d5",
        role="scribe",
        scope={"kind": "match", "match": "m1"},
        holder="Table 7",
    )
    from api.archive.archive import token_hash

    granted["body"]["token_sha256"] = token_hash(token)
    sent = {"entries": [granted]}
    assert (await api.post("/logs/club/events", sent, api.scribe, If_Match="*")).status_code == 403
    answer = await api.post("/logs/club/events", sent, api.director, If_Match="*")
    assert answer.status_code == 201, answer.text
    assert (await api.append(make("turn.ended", seat="one"), token=token)).status_code == 201
    listed = await api.get("/logs/club/events", api.director)
    assert "Table 7" in listed.text
    assert (await api.get("/logs/club/events", token)).status_code == 403
    assert (await api.get("/logs/club/events")).status_code == 401


async def test_nobody_grants_more_than_they_hold(api: Any, make: Any) -> None:
    def grant(role: str, kind: str) -> dict[str, Any]:
        return make("access.granted", token_sha256="0" * 64, role=role, scope={"kind": kind})

    path = "/logs/club/events"
    sent = {"entries": [grant("archivist", "log")]}
    assert (await api.post(path, sent, api.director, If_Match="*")).status_code == 403
    sent = {"entries": [grant("director", "archive")]}
    assert (await api.post(path, sent, api.director, If_Match="*")).status_code == 422
    sent = {"entries": [grant("director", "archive")]}
    over_all = api.token(Role.DIRECTOR, log="archive")
    answer = await api.post("/logs/archive/events", sent, over_all, If_Match="*")
    assert answer.status_code == 403


async def test_a_public_match_is_for_everybody(api: Any, begin: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    await api.append(*begin())
    for path in paths():
        if not path.endswith("/live"):
            answer = await api.get(path)
            # That format itself marks illegal plays, which are not shown of a match in play.
            expected = 401 if path.endswith("export.ogxm") else 200
            assert answer.status_code == expected, path
    listed = await api.get("/logs/club/matches")
    assert [row["players"] for row in listed.json()["matches"]] == [{"one": ["Ann"], "two": ["Bo"]}]
    assert "Ann" in (await api.get("/")).text
    assert (await api.get("/logs")).json()["logs"][0]["log_id"] == "club"


async def test_a_private_match_is_in_no_public_list(api: Any) -> None:
    await api.open()
    await api.open("m2", publication={"public": True, "delay_ms": 0})
    listed = await api.get("/logs/club/matches")
    assert [row["match_id"] for row in listed.json()["matches"]] == ["m2"]
    assert (await api.get("/logs/club")).json()["matches"] == 1
    assert (await api.get("/logs/club", api.director)).json()["matches"] == 2


async def test_releasing_and_withholding_work_at_once(api: Any, make: Any) -> None:
    await api.open()
    await api.append(make("publication.released"), token=api.director)
    assert (await api.get("/logs/club/matches/m1")).status_code == 200
    await api.append(make("publication.withheld"), token=api.director)
    assert (await api.get("/logs/club/matches/m1")).status_code == 401
    assert (await api.get("/logs/club/matches")).json()["matches"] == []


async def test_a_match_under_appeal_is_not_public(api: Any, make: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    turn = make("turn.ended", seat="one")
    filed = make("appeal.filed", target=turn["entry_id"], seat="one")
    await api.append(turn, filed, token=api.director)
    assert (await api.get("/logs/club/matches/m1")).status_code == 401
    refused = make("appeal.refused", appeal=filed["entry_id"])
    await api.append(refused, token=api.director)
    assert (await api.get("/logs/club/matches/m1")).status_code == 200


async def test_of_two_open_appeals_a_decision_without_a_name_ends_the_last(
    api: Any, make: Any
) -> None:
    """It ended both, and the match was public while the first one was heard."""
    await api.open(publication={"public": True, "delay_ms": 0})
    turn = make("turn.ended", seat="one")
    first, last = (make("appeal.filed", target=turn["entry_id"], seat="one") for _ in range(2))
    await api.append(turn, first, last, token=api.director)
    await api.append(make("appeal.decided", outcome="upheld"), token=api.director)
    assert (await api.get("/logs/club/matches/m1")).status_code == 401
    await api.append(make("appeal.decided", outcome="upheld"), token=api.director)
    assert (await api.get("/logs/club/matches/m1")).status_code == 200


async def test_the_public_sees_what_a_hall_posts_and_no_other_personal_value(
    api: Any, make: Any
) -> None:
    await api.open(
        publication={"public": True, "delay_ms": 0},
        place="The old library",
        event="Lantern Cup",
        players={"one": [{"name": "Ann", "club": "Left Bank"}], "two": [{"name": "Bo"}]},
    )
    await api.append(make("handling.noted", seat="one", kind="two_hands", detail="in a temper"))
    for path in ("/events", "/export.jsonl", "/export.mat"):
        public = (await api.get(f"/logs/club/matches/m1{path}")).text
        granted = (await api.get(f"/logs/club/matches/m1{path}", api.scribe)).text
        for posted in ("Ann", "Lantern Cup"):
            assert posted in public
            assert posted in granted
        for secret in ("Left Bank", "The old library", "in a temper", "recorded_by"):
            assert secret not in public
        if path != "/export.mat":
            for shown in ("Left Bank", "in a temper", "recorded_by"):
                assert shown in granted


async def test_a_committee_sees_nobodys_name(api: Any) -> None:
    await api.open()
    token = api.token(Role.COMMITTEE)
    for path in paths():
        if not path.endswith("/live"):
            answer = await api.get(path, token)
            assert answer.status_code == 200
            assert "Ann" not in answer.text, path
    assert "Ann" not in (await api.get("/logs/club/matches", token)).text


async def test_an_erased_name_is_gone_from_every_answer(api: Any, make: Any) -> None:
    await api.open(publication={"public": True, "delay_ms": 0})
    assert "Ann" in (await api.get("/logs/club/matches")).text
    opened = api.archive.reading.live("club", "m1").replay.opened
    gone = make("disclosure.erased", commitments=[opened.players.one[0].name.sd])
    archivist = api.archive.grant(Role.ARCHIVIST)[0]
    said = await api.post("/logs/club/events", {"entries": [gone]}, archivist, If_Match="*")
    assert said.status_code == 201, said.text
    for path in (*paths(), "/logs/club/matches", "/"):
        if not path.endswith("/live"):
            assert "Ann" not in (await api.get(path)).text, path
    assert api.faults() == []


async def test_a_token_is_never_read_from_the_address(api: Any) -> None:
    await api.open()
    sent = f"?token={api.director}&access_token=x"
    assert (await api.get(f"/logs/club/matches/m1{sent}")).status_code == 400
    assert (await api.get(f"/matches/club/m1{sent}")).status_code == 401
