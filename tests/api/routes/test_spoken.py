"""What was said in a match: who is shown it, who said it, and why the rest is left out."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest

from events.payloads.access import Role

URL = "/logs/club/matches/m1"

WORDS = {
    "dispute": "He lifted a die before mine had stopped.",
    "witness": "I saw the left die leaning on a checker.",
    "facts": "One die was cocked.",
    "decision": "The roll is void.",
    "intended": "Both dice are thrown again.",
    "ground": "Nobody looked at the die.",
}


PLAYERS = {"one": [{"name": "Annika Quist"}], "two": [{"name": "Borislav"}]}


async def begun(api: Any, begin: Any, **opened: Any) -> None:
    """A match with a play made in it."""
    await api.open(**{"players": PLAYERS, **opened})
    await api.append(*begin())


async def a_case(api: Any, make: Any, begin: Any, rule_set: str | None, **opened: Any) -> None:
    """A dispute, a witness, a ruling and an appeal, each in words."""
    opened = {"rule_set": rule_set, "table": "4", "round": "Semifinal", **opened}
    await begun(api, begin, **{name: value for name, value in opened.items() if value is not None})
    said = [{"by": "one", "says": WORDS["dispute"]}]
    await api.append(make("dispute.raised", by="one", readings=said))
    await api.append(make("testimony.given", role="spectator", says=WORDS["witness"]))
    ruling = make(
        "ruling.made",
        facts=WORDS["facts"],
        decision=WORDS["decision"],
        intended_action=WORDS["intended"],
    )
    await api.append(ruling, token=api.director)
    filed = make("appeal.filed", seat="two", target=ruling["entry_id"], ground=WORDS["ground"])
    await api.append(filed)


async def scenes_of(api: Any, token: str | None) -> Any:
    answer = await api.get(f"{URL}/scenes", token)
    assert answer.status_code == 200, answer.text
    return answer.json()


def said_in(answer: Any) -> dict[str, str | None]:
    """Tag and path of each word to its text; None where it is left out."""
    return {
        f"{scene['tag']} {word['path']}": word["text"]
        for scene in answer["scenes"]
        for word in scene["words"]
    }


ALL_SAID = {
    "dispute.raised readings.0.says": WORDS["dispute"],
    "testimony.given says": WORDS["witness"],
    "ruling.made facts": WORDS["facts"],
    "ruling.made decision": WORDS["decision"],
    "ruling.made intended_action": WORDS["intended"],
    "appeal.filed ground": WORDS["ground"],
}

BEFORE_THE_RULING = {
    name: text for name, text in ALL_SAID.items() if name.startswith(("dispute", "testimony"))
}

GIVEN = {
    "usbgf-2017-07": (ALL_SAID, True),
    "usbgf-2017-09": (ALL_SAID, True),
    "biba-2014": (BEFORE_THE_RULING, False),
    "fcbg-tournament": (ALL_SAID, True),
    "fcbg-club": (ALL_SAID, False),
    "common": (ALL_SAID, False),
}
"""Rule set to the words that its committee is given, and whether it is shown who plays."""


@pytest.mark.parametrize("rule_set", GIVEN)
async def test_a_committee_reads_what_its_rule_set_gives(
    api: Any, make: Any, begin: Any, rule_set: str
) -> None:
    await a_case(api, make, begin, rule_set)
    words, names = GIVEN[rule_set]
    token = api.token(Role.COMMITTEE, match="m1")
    answer = await scenes_of(api, token)
    assert said_in(answer) == words
    page = (await api.get("/matches/club/m1/replay", token)).text
    listed = (await api.get("/logs/club/matches/m1", token)).text
    entries = (await api.get(f"{URL}/events", token)).text
    for text in (page, listed):
        assert ("Annika" in text) is names, rule_set
    for name, text in ALL_SAID.items():
        assert (text in entries) is (name in words), name


@pytest.mark.parametrize("rule_set", GIVEN)
async def test_whoever_directs_and_views_reads_every_word(
    api: Any, make: Any, begin: Any, rule_set: str
) -> None:
    await a_case(api, make, begin, rule_set)
    # Who plays is kept from this committee: to a viewer the match is shut until it is decided.
    is_shut = rule_set == "biba-2014"
    viewer = api.token(Role.VIEWER)
    if is_shut:
        assert (await api.get(f"{URL}/scenes", viewer)).status_code == 403
    for token in (api.director, api.scribe, *([] if is_shut else [viewer])):
        assert said_in(await scenes_of(api, token)) == ALL_SAID


async def test_the_public_is_told_that_words_are_left_out_and_why(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin, publication={"public": True})
    await api.append(make("testimony.given", role="spectator", says=WORDS["witness"]))
    answer = await scenes_of(api, None)
    [word] = [word for scene in answer["scenes"] for word in scene["words"]]
    assert (word["text"], word["withheld"], word["by"]) == (None, "not_public", "spectator")
    assert answer["showing"]["withheld"] == "not_public"
    assert WORDS["witness"] not in str(answer)


async def test_biba_says_what_it_keeps_and_where_it_is_cut(api: Any, make: Any, begin: Any) -> None:
    await a_case(api, make, begin, "biba-2014")
    token = api.token(Role.COMMITTEE, match="m1")
    answer = await scenes_of(api, token)
    shown = answer["showing"]
    tags = [scene["tag"] for scene in answer["scenes"]]
    assert (shown["cut"], shown["last"], shown["section"]) == ("first_ruling", len(tags), "6.3")
    assert (shown["withheld"], shown["people"]) == ("players_secret", "none")
    assert not {"ruling.made", "appeal.filed"} & set(tags)
    assert "Semifinal" not in str(answer)
    recorders = [scene["recorder"] for scene in answer["scenes"] if scene["recorder"]]
    assert {one["role"] for one in recorders} == {"scribe"}
    assert {(one["name"], one["table"]) for one in recorders} == {(None, None)}


ANSWERS = """scenes replay events provenance appeals findings position score
export.txt export.html export.jsonl export.json export.mat export.sgf"""
SECRET = ("Annika", "Quist", "Borislav", "Semifinal", "ruling.made", "appeal", *WORDS.values())


@pytest.mark.parametrize("path", ANSWERS.split())
async def test_no_answer_tells_a_biba_committee_of_the_first_ruling(
    api: Any, make: Any, begin: Any, path: str
) -> None:
    await a_case(api, make, begin, "biba-2014")
    token = api.token(Role.COMMITTEE, match="m1")
    answer = await api.get(f"{URL}/{path}", token)
    assert answer.status_code == 200, answer.text
    for forbidden in SECRET:
        is_given = forbidden in (WORDS["dispute"], WORDS["witness"])
        if path == "appeals" and forbidden == "appeal":
            assert answer.json()["appeals"] == []
        elif not is_given:
            assert forbidden not in answer.text, forbidden


async def test_a_biba_committee_neither_asks_beyond_the_cut_nor_follows_live(
    api: Any, make: Any, begin: Any
) -> None:
    await a_case(api, make, begin, "biba-2014")
    token = api.token(Role.COMMITTEE, match="m1")
    assert (await api.get(f"{URL}/position?at={api.version()}", token)).status_code == 404
    assert (await api.get(f"{URL}/live", token)).status_code == 403
    [row] = (await api.get("/logs/club/matches", token)).json()["matches"]
    assert (row["players"], row["version"]) == ({"one": [], "two": []}, api.version() - 2)
    late = await api.append(make("vote.cast", member="a", vote="uphold"), at=1, token=token)
    assert late.status_code in (403, 412)
    assert WORDS["facts"] not in late.text


async def test_words_that_name_a_player_are_left_out_for_a_biba_committee(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin, rule_set="biba-2014")
    await api.append(make("testimony.given", role="spectator", says="Annika's die was cocked."))
    answer = await scenes_of(api, api.token(Role.COMMITTEE, match="m1"))
    [word] = [word for scene in answer["scenes"] for word in scene["words"]]
    assert (word["text"], word["withheld"]) == (None, "names_somebody")


async def test_words_that_name_a_player_by_a_list_or_a_join_are_left_out_for_a_biba_committee(
    api: Any, make: Any, begin: Any
) -> None:
    """People use the name by which they know a player, which is in no opening."""
    players = {"one": [{"id": "p-1", "name": "Annika Quist"}], "two": [{"id": "p-2"}]}
    club = {"Authorization": f"Bearer {api.director}", "If-Match": "*"}
    listed = [
        make("player.registered", player="p-1", name="Nelly Vantongeren", club="Skybreen"),
        make("player.registered", player="p-1", name="Annika Quist"),
        make("player.registered", player="p-2", name="Borislav Ek"),
        make("player.registered", player="p-3", name="Odd Fellow"),
    ]
    joined = make("player.joined", names=[{"name": "Annika Quist"}, {"name": "Wilma Prado"}])
    archivist = {**club, "Authorization": f"Bearer {api.archive.grant(Role.ARCHIVIST)[0]}"}
    for log, headers, entries in (("club", club, listed), ("archive", archivist, [joined])):
        body = {"entries": entries}
        answer = await api.http.post(f"/logs/{log}/events", headers=headers, json=body)
        assert answer.status_code == 201, answer.text
    await begun(api, begin, rule_set="biba-2014", players=players)
    naming = ("Nelly looked away.", "It was Prado's die.", "Skybreen spoke.", "Borislav lifted.")
    harmless = ("The die was cocked.", "A fellow lifted it.")
    for says in (*naming, *harmless):
        await api.append(make("testimony.given", role="spectator", says=says))
    answer = await scenes_of(api, api.token(Role.COMMITTEE, match="m1"))
    words = [word for scene in answer["scenes"] for word in scene["words"]]
    assert [word["text"] for word in words] == [None, None, None, None, *harmless]
    assert {word["withheld"] for word in words[:4]} == {"names_somebody"}


async def test_sealed_testimony_is_for_director_and_committee_alone(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin, rule_set="usbgf-2017-07")
    told = make("testimony.given", role="spectator", says=WORDS["witness"], sealed=True)
    await api.append(told)
    for role, is_shown in (
        (Role.DIRECTOR, True),
        (Role.COMMITTEE, True),
        (Role.VIEWER, False),
        (Role.SCRIBE, False),
    ):
        token = api.token(role, match="m1")
        answer = await scenes_of(api, token)
        [word] = [word for scene in answer["scenes"] for word in scene["words"]]
        assert (word["withheld"] is None) is is_shown, role
        for path in (f"{URL}/events", f"{URL}/export.jsonl"):
            assert (WORDS["witness"] in (await api.get(path, token)).text) is is_shown, role


async def test_who_wrote_it_down_is_told_by_role_and_table_and_name(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin, table="4")
    token = api.archive.grant(Role.SCRIBE, log_id="club", holder="Erika")[0]
    told = make("testimony.given", role="spectator", says="x")
    await api.append(told, token=token)
    await api.append(make("entry.retracted", target=told["entry_id"], reason="y"))
    scenes = (await scenes_of(api, api.director))["scenes"]
    assert [scene["recorder"] for scene in scenes[-2:]] == [
        {"role": "scribe", "name": "Erika", "table": "4", "withheld": None},
        {"role": "scribe", "name": None, "table": "4", "withheld": None},
    ]
    assert scenes[-2]["status"] == "retracted"


async def test_an_amended_entry_says_the_new_words_and_as_recorded_the_old_ones(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin)
    told = make("testimony.given", role="spectator", says="the first words")
    await api.append(told)
    said = {"role": "spectator", "says": "the right words"}
    amended = make(
        "entry.amended",
        target=told["entry_id"],
        tag="testimony.given",
        schema=1,
        body=said,
        reason="misheard",
    )
    await api.append(amended)
    words = said_in(await scenes_of(api, api.director))
    assert words == {
        "testimony.given says": "the right words",
        "entry.amended reason": "misheard",
    }
    raw = (await api.get(f"{URL}/scenes?as_recorded=true", api.director)).json()
    assert said_in(raw)["testimony.given says"] == "the first words"


async def test_a_correction_without_a_word_is_nothing_that_was_said(
    api: Any, make: Any, begin: Any
) -> None:
    """A corrected name was listed on the match's page as an empty entry of what was said."""
    await begun(api, begin, publication={"public": True, "delay_ms": 0})
    opening = (await api.get(f"{URL}/events", api.director)).json()["entries"][0]
    body = {**opening["body"], "players": PLAYERS}
    amended = make("entry.amended", target=opening["entry_id"], tag="match.opened", body=body)
    assert (await api.append(amended, token=api.director)).status_code == 201
    for token in (None, api.director):
        answer = await api.get("/matches/club/m1", token, Accept="text/html")
        assert 'id="spoken"' not in answer.text


async def test_an_erased_word_is_gone_at_once_and_said_to_be_erased(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin)
    await api.append(make("testimony.given", role="spectator", says=WORDS["witness"]))
    first = await api.get(f"{URL}/scenes", api.director)
    payload = api.archive.reading.live("club", "m1").recorded[-1].payload
    api.archive.store.erase_disclosure("club", payload.says.sd)
    again = await api.get(f"{URL}/scenes", api.director, If_None_Match=first.headers["etag"])
    assert again.status_code == 200
    [word] = [word for scene in again.json()["scenes"] for word in scene["words"]]
    assert (word["text"], word["withheld"]) == (None, "erased")


PAGES = ("/matches/club/m1", "/matches/club/m1/replay", "/matches/club/m1/embed?at={dispute}")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("page", PAGES)
async def test_pages_show_the_words_with_who_said_them_and_who_wrote_them_down(
    api: Any, make: Any, begin: Any, page: str, language: str
) -> None:
    await a_case(api, make, begin, "usbgf-2017-07")
    path = page.format(dispute=api.version() - 3)
    text = (await api.get(f"{path}{'&' if '?' in path else '?'}lang={language}", api.director)).text
    assert WORDS["dispute"] in text
    told = {"en": ("Annika Quist says", "scribe, table 4"), "de": ("Annika Quist sagt", "Tisch 4")}
    for words in told[language]:
        assert words in text, words
    if "embed" not in page:
        for words in WORDS.values():
            assert words in text, words


@pytest.mark.parametrize("page", PAGES[:2])
async def test_pages_say_what_is_left_out_and_why(
    api: Any, make: Any, begin: Any, page: str
) -> None:
    await a_case(api, make, begin, "biba-2014", publication={"public": True})
    text = (await api.get(f"{page}?lang=en", api.token(Role.COMMITTEE, match="m1"))).text
    assert WORDS["witness"] in text
    assert WORDS["facts"] not in text
    assert "the rule set keeps from its committee who plays" in text
    assert "keeps the first ruling, and what follows it, from its committee" in text


async def test_entries_of_which_nothing_is_told_for_one_reason_share_a_line_of_a_page(
    api: Any, make: Any, begin: Any
) -> None:
    await a_case(api, make, begin, "usbgf-2017-07", publication={"public": True})
    await api.append(make("appeal.decided", outcome="upheld"), token=api.director)
    scenes = (await scenes_of(api, None))["scenes"]
    silent = [scene["version"] for scene in scenes if scene["words"]]
    page = (await api.get("/matches/club/m1", None)).text
    spoken = page.split('id="spoken"')[1].split("</section>")[0]
    assert len(silent) > 3
    assert [int(one) for one in re.findall(r"\?at=(\d+)#board", spoken)] == silent
    assert spoken.count("Left out: ") == 1


async def test_the_words_of_a_moment_stand_beside_its_board(
    api: Any, make: Any, begin: Any
) -> None:
    await a_case(api, make, begin, "usbgf-2017-07")
    witness = api.version() - 2
    text = (await api.get(f"/matches/club/m1?at={witness}&part=now", api.director)).text
    assert WORDS["witness"] in text
    assert WORDS["dispute"] not in text
    assert WORDS["facts"] not in text


async def test_a_photo_is_shown_at_its_entry_to_whoever_may_see_it(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin, rule_set="biba-2014")
    photo = b"\x89PNG a photo"
    sha = hashlib.sha256(photo).hexdigest()
    path = f"/logs/club/files/{sha}"
    await api.append(make("evidence.attached", file=sha, kind="photo", source="Erika"))
    [scene] = [one for one in (await scenes_of(api, api.director))["scenes"] if one["file"]]
    assert (scene["file"]["href"], scene["file"]["withheld"]) == (None, "missing")
    headers = {"Authorization": f"Bearer {api.scribe}", "Content-Type": "image/png"}
    assert (await api.http.put(path, content=photo, headers=headers)).status_code == 201
    [scene] = [one for one in (await scenes_of(api, api.director))["scenes"] if one["file"]]
    assert scene["file"]["is_image"]
    assert (await api.get(scene["file"]["href"], api.director)).content == photo
    page = (await api.get("/matches/club/m1", api.director)).text
    assert f'<img class="evidence" src="{path}?match=m1"' in page
    committee = api.token(Role.COMMITTEE, match="m1")
    [scene] = [one for one in (await scenes_of(api, committee))["scenes"] if one["file"]]
    assert (scene["file"]["href"], scene["file"]["withheld"]) == (None, "players_secret")
    assert (await api.get(f"{path}?match=m1", committee)).status_code == 403


async def test_a_committee_that_is_told_who_plays_sees_the_photos_of_its_match(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin, rule_set="usbgf-2017-07")
    photo = b"\x89PNG a photo"
    sha = hashlib.sha256(photo).hexdigest()
    path = f"/logs/club/files/{sha}"
    headers = {"Authorization": f"Bearer {api.scribe}", "Content-Type": "image/png"}
    await api.http.put(path, content=photo, headers=headers)
    committee = api.token(Role.COMMITTEE, match="m1")
    assert (await api.get(f"{path}?match=m1", committee)).status_code == 403
    await api.append(make("evidence.attached", file=sha, kind="photo"))
    assert (await api.get(f"{path}?match=m1", committee)).status_code == 200
    await api.http.delete(path, headers={"Authorization": f"Bearer {api.director}"})
    [scene] = [one for one in (await scenes_of(api, committee))["scenes"] if one["file"]]
    assert (scene["file"]["href"], scene["file"]["withheld"]) == (None, "erased")


@pytest.mark.parametrize("ending", ["txt", "html"])
async def test_files_for_people_tell_the_words_and_what_is_left_out(
    api: Any, make: Any, begin: Any, ending: str
) -> None:
    await a_case(api, make, begin, "biba-2014")
    text = flat((await api.get(f"{URL}/export.{ending}", api.director)).text)
    for words in WORDS.values():
        assert words in text, words
    assert "Annika Quist says: He lifted a die" in text
    assert "[written down by scribe, table 4]" in text
    given = flat((await api.get(f"{URL}/export.{ending}", api.token(Role.COMMITTEE))).text)
    assert WORDS["witness"] in given
    assert WORDS["facts"] not in given
    assert "the rule set keeps from its committee who plays" in given
    assert "The record ends for you at entry" in given
    nameless = flat((await api.get(f"{URL}/export.{ending}?names=withheld", api.director)).text)
    assert not any(words in nameless for words in WORDS.values())


def flat(text: str) -> str:
    """Without the ends of lines, at which words are folded."""
    return " ".join(text.split())


async def test_a_word_that_a_file_tells_is_not_counted_as_lost(
    api: Any, make: Any, begin: Any
) -> None:
    await begun(api, begin)
    told = make("testimony.given", role="spectator", says=WORDS["witness"])
    await api.append(told)
    with_words = await api.get(f"{URL}/export.txt", api.director)
    without = await api.get(f"{URL}/export.txt?names=withheld", api.director)
    assert "testimony.given says" not in with_words.text
    assert "testimony.given says" in without.text


async def test_files_tell_why_the_record_was_corrected(api: Any, make: Any, begin: Any) -> None:
    await begun(api, begin, table="4")
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]))
    target = api.archive.reading.live("club", "m1").recorded[-1].entry_id
    await api.append(make("entry.retracted", target=target, reason="It was a three."))
    for ending in ("txt", "html"):
        text = flat((await api.get(f"{URL}/export.{ending}", api.director)).text)
        assert f"takes back entry {api.version() - 1}: Reason: It was a three." in text


async def test_replay_page_text_and_mat_number_turns_alike(api: Any, make: Any, begin: Any) -> None:
    await begun(api, begin)
    await api.append(make("cube.double_offered", seat="two"), make("cube.double_taken", seat="one"))
    await api.append(make("dice.rolled", seat="two", dice=[6, 5]))
    await api.append(make("play.made", seat="two", moves=[[24, 18], [18, 13]]))
    scenes = (await scenes_of(api, api.director))["scenes"]
    rows = {f"{scene['tag']} {scene['seat']}": scene["row"] for scene in scenes}
    assert (rows["cube.double_offered two"], rows["cube.double_taken one"]) == (1, 2)
    assert rows["play.made two"] == 2
    for ending in ("mat", "txt"):
        text = (await api.get(f"{URL}/export.{ending}", api.director)).text
        row = next(line for line in text.splitlines() if line.lstrip().startswith("2)"))
        assert "akes" in row
        assert "65:" in row
    page = (await api.get("/matches/club/m1/replay", api.director)).text
    assert '<th scope="row" class="number">2</th>' in page
    assert '<th scope="row" class="number">3</th>' not in page


async def test_a_second_scribes_record_ends_for_a_biba_committee_with_the_turn_of_the_cut(
    api: Any, make: Any, begin: Any
) -> None:
    await a_case(api, make, begin, "biba-2014")
    await api.open("beside", players=PLAYERS, rule_set="biba-2014", shadow_of="m1")
    after = (
        make("dice.rolled", seat="two", dice=[6, 5]),
        make("play.made", seat="two", moves=[[24, 18], [18, 13]]),
    )
    await api.append(*begin(), *after, match="beside")
    committee = api.token(Role.COMMITTEE)
    for token, plays in ((committee, 1), (api.director, 2)):
        answer = (await api.get("/logs/club/matches/beside/scenes", token)).json()
        tags = [scene["tag"] for scene in answer["scenes"]]
        assert tags.count("play.made") == plays
        assert (answer["showing"]["cut"] is None) is (plays == 2)
    decided = make("appeal.decided", outcome="upheld")
    await api.append(decided, token=api.director)
    answer = (await api.get("/logs/club/matches/beside/scenes", committee)).json()
    assert [scene["tag"] for scene in answer["scenes"]].count("play.made") == 2
    assert "Annika" not in str(answer)


async def test_a_second_scribes_record_is_heard_by_the_rules_of_its_match(
    api: Any, make: Any, begin: Any
) -> None:
    """Whoever records it may say that it was played under others, with an appeal open or before."""
    await a_case(api, make, begin, "biba-2014")
    await api.open("beside", players=PLAYERS, rule_set="biba-2014", shadow_of="m1")
    await api.append(*begin(), match="beside")
    first = api.archive.reading.live("club", "beside").recorded[0].entry_id
    body = {"players": PLAYERS, "length": 5, "rule_set": "usbgf-2017-07", "shadow_of": "m1"}
    said = make("entry.amended", target=first, tag="match.opened", body=body)
    assert (await api.append(said, match="beside")).status_code == 201
    committee, viewer = api.token(Role.COMMITTEE), api.token(Role.VIEWER)
    own = "/logs/club/matches/beside"
    for path in (f"{own}/scenes", own, f"{own}/events", f"{own}/export.txt", "/logs/club/matches"):
        answer = await api.get(path, committee)
        assert answer.status_code == 200, answer.text
        assert "Annika" not in answer.text, path
    listed = (await api.get("/logs/club/matches", viewer)).json()["matches"]
    assert listed == [], "an appeal is open, and keeps both records for those in the case"


async def test_where_an_entry_comes_from_names_whoever_wrote_it_down_by_role(
    api: Any, make: Any, begin: Any
) -> None:
    await a_case(api, make, begin, "usbgf-2017-07")
    told = (await api.get(f"{URL}/provenance", api.director)).json()["entries"]
    roles = {entry["recorder"]["role"] for entry in told}
    assert roles == {"director", "scribe"}
    assert {entry["recorder"]["table"] for entry in told} == {None, "4"}
    committee = api.token(Role.COMMITTEE, match="m1")
    hidden = (await api.get(f"{URL}/provenance", committee)).json()
    assert hidden["is_context_shown"], "USBGF hides nothing"
