"""The base of all pages: static files, texts, languages, sizes, no scripts of other sites."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page

from api.exchange.writing.kinds import MAT, OGXM, PEOPLE, SGF
from api.html.assets import COMMENTED, LATER, TABLET, WEB, assets, without_comments
from api.html.entry_words import told
from api.html.texts import LANGUAGES, texts_of
from events.catalogue import KINDS
from events.payloads.dice import VoidReason
from tests.web.conftest import NewContext, Site, check_axe
from tests.web.fonts import FONT_SETS, NARROW, WIDE

COUNTS = {"count", "points", "n", "of", "matches", "players", "minutes", "delay", "aside", "size"}
"""Names of values that count something."""

MOST_BYTES = 200_000
"""What a tablet may load before it records, and keep for a reload."""

TYPESCRIPT = "typescript@7.0.2"


def test_a_static_file_is_kept_for_ever_under_the_hash_of_all_of_them(site: Site) -> None:
    with site.http() as client:
        found = client.get(assets().url("shared/dom.js"))
        assert found.status_code == 200
        assert found.headers["Content-Type"].startswith("text/javascript")
        assert "immutable" in found.headers["Cache-Control"]
        assert found.headers["Content-Encoding"] == "gzip"
        assert client.get("/static/0000000000000000/shared/dom.js").status_code == 404
        assert client.get(f"/static/{assets().digest}/../templates/base.html").status_code == 404
        assert client.get(f"/static/{assets().digest}/shared/types.d.ts").status_code == 404


def test_the_worker_names_every_file_that_the_tablet_needs(site: Site) -> None:
    with site.http() as client:
        worker = client.get("/sw.js")
        assert worker.headers["Cache-Control"] == "no-cache"
        listed = re.search(r"const FILES = (\[.*?\]);", worker.text)
        assert listed is not None
        files = json.loads(listed[1])
        for file in files:
            assert client.get(file).status_code == 200, file
    assert {path for path in files if path.startswith("/static/")} == {
        assets().url(path) for path in assets().under(TABLET)
    }


def test_all_that_a_tablet_keeps_weighs_less_than_a_photo() -> None:
    """Every byte is loaded by a tablet in a hall's network: what comes takes something's place."""
    kept = [asset for path in assets().under(TABLET) if (asset := assets().get(path)) is not None]
    weight = sum(len(asset.compressed or asset.body) for asset in kept)
    print(f"{len(kept)} files of {weight:,} bytes")
    assert 0 < weight <= MOST_BYTES


def _code(source: str) -> str:
    """A module without its comments, which name types."""
    return re.sub(r"/\*.*?\*/|^\s*//.*?$", "", source, flags=re.DOTALL | re.MULTILINE)


def test_what_the_tablet_imports_is_what_its_worker_keeps() -> None:
    kept = set(assets().under((*TABLET, *LATER)))
    for path in [path for path in kept if path.endswith(".js")]:
        source = _code((WEB / "static" / path).read_text("utf-8"))
        for name in re.findall(r"""(?:from|import)\s*\(?["'](\.[^"']+\.js)["']""", source):
            folder = (WEB / "static" / path).parent
            target = (folder / name).resolve().relative_to((WEB / "static").resolve()).as_posix()
            assert target in kept, f"{path} imports {target}, which would be missing offline"


def test_what_is_served_are_the_sources_without_the_comments_that_have_lines_of_their_own() -> None:
    served = assets().get("shared/dom.js")
    assert served is not None
    source = (WEB / "static" / "shared" / "dom.js").read_text("utf-8").split("\n")
    lines = served.body.decode().split("\n")
    assert len(lines) == len(source)
    assert all(not line or line == told for line, told in zip(lines, source, strict=True))
    left = [line.strip() for line in lines if line.strip()]
    assert left
    assert not any(line.startswith(("//", "/*", "* ")) for line in left if "*/ (" not in line)


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("a();\n  // b\nc();", "a();\n\nc();"),
        ("/** a\n * b\n */\nc();", "\n\n\nc();"),
        ("/* a */\nb();", "\nb();"),
        ("/** @type {A} */ (b).c();", "/** @type {A} */ (b).c();"),
        ("/**\n * @type {A} */ (b).c();", "\n (b).c();"),
        ('fetch("*/*"); // all\nb();', 'fetch("*/*"); // all\nb();'),
        ("a * /* b\n*/ c;", "a * /* b\n*/ c;"),
        ("/**/\na();", "\na();"),
        ("/*/\na();\n*/\nb();", "\n\n\nb();"),
    ],
)
def test_a_comment_goes_with_its_lines_and_code_stays_where_it_was(source: str, left: str) -> None:
    assert without_comments(source) == left


def test_no_text_of_a_script_has_a_line_that_begins_as_a_comment_does() -> None:
    for file in sorted((WEB / "static").rglob("*.js")):
        source = file.read_text("utf-8").split("\n")
        ticks = 0
        for number, (line, left) in enumerate(
            zip(source, without_comments("\n".join(source)).split("\n"), strict=True), start=1
        ):
            assert left == line or ticks % 2 == 0, f"{file}:{number} lies in a text"
            ticks += left.count("`") - left.count("\\`")


def test_no_page_lets_a_strangers_script_in(site: Site) -> None:
    with site.http() as client:
        policy = client.get("/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy


def test_a_page_speaks_the_language_that_is_preferred(site: Site) -> None:
    with site.http() as client:
        assert '<html lang="en">' in client.get("/").text
        german = client.get("/", headers={"Accept-Language": "fr;q=0.9, de-CH;q=0.8, en;q=0.1"})
        assert '<html lang="de">' in german.text
        assert '<html lang="de">' in client.get("/?lang=de").text


def _catalogues(language: str) -> dict[str, dict[str, str]]:
    folder = WEB / "texts" / language
    return {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))
    }


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_has_every_text_with_the_same_values(language: str) -> None:
    first, other = _catalogues(LANGUAGES[0]), _catalogues(language)
    # What folds and rule sets say is English already; `test_sayings.py` and `test_rules_page.py`
    # look at its translations, and so does the next test at what files leave out.
    assert first.keys() == other.keys() - {"findings", "losses", "sections"}
    for room, texts in first.items():
        assert texts.keys() == other[room].keys(), room
        for key, text in texts.items():
            assert set(re.findall(r"\{(\w+)", text)) == set(
                re.findall(r"\{(\w+)", other[room][key])
            ), key


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_what_files_leave_out_is_told_in_every_language(language: str) -> None:
    told = {one for table in (MAT, SGF, OGXM, PEOPLE) for one in table.values()}
    assert _catalogues(language)["losses"].keys() == told


def test_every_text_that_counts_can_say_one() -> None:
    """Either the word beside the count changes, or there is another text for one."""
    counted = re.compile(r"\{(\w+)\} (?:\w+ )?(?!s\b|is\b|wins\b|was\b|has\b)[a-z]+[^s ]s\b")
    for texts in _catalogues(LANGUAGES[0]).values():
        for key, text in texts.items():
            names = {found[1] for found in counted.finditer(text)} & COUNTS
            others = {f"{key.rpartition('_')[0]}_{one}" for one in ("1", "one")} & texts.keys()
            assert not names or others, f"{key}: {text}"


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", "1 penalty point against Ada", "2 penalty points against Ada"),
        ("de", "1 Strafpunkt gegen Ada", "2 Strafpunkte gegen Ada"),
    ],
)
def test_a_word_beside_a_count_changes_with_it(language: str, one: str, two: str) -> None:
    texts = texts_of(language)
    for count, expected in ((1, one), ("1", one), (2, two), (0, two.replace("2", "0"))):
        assert texts("entry.penalty.assessed.told", points=count, seat="Ada").startswith(expected)
        scene = {
            "tag": "penalty.assessed",
            "facts": {"points": count},
            "people": {"seat": "one"},
        }
        assert told(texts, scene, {"one": "Ada", "two": "Ben"}) == expected


def test_every_text_stands_in_the_file_that_its_key_names() -> None:
    for room, texts in _catalogues(LANGUAGES[0]).items():
        for key in texts:
            # What is told of an entry is a file of its own, which the recorder does not fetch.
            assert key.startswith(f"{room.removesuffix('_told')}."), f"{key} in {room}.json"


def test_every_text_about_an_entry_names_its_tag_and_a_column_that_is_read() -> None:
    tags = {kind.tag for kind in KINDS}
    columns = {"told", "short", "name", "did", "did_by"}
    catalogues = _catalogues(LANGUAGES[0])
    for key in (*catalogues["entry"], *catalogues["entry_told"]):
        _, noun, verb, column, *one_of_several = key.split(".")
        assert f"{noun}.{verb}" in tags, key
        assert column in columns, key
        assert (key in catalogues["entry_told"]) == (column in ("told", "short")), key
        assert not one_of_several or column == "told", key


def test_every_text_that_a_page_or_a_module_names_exists() -> None:
    texts = texts_of(LANGUAGES[0])
    sources = [*WEB.glob("templates/*.html"), *WEB.glob("static/**/*.js")]
    for source in sources:
        for key in re.findall(
            r"""\bt\(\s*["']([a-z_]+\.[a-zA-Z0-9_.-]+)["']\s*[,)]""", source.read_text("utf-8")
        ):
            assert texts.has(key), f"{source.name} names {key}"


def test_every_key_and_every_reason_of_the_tablet_has_its_words() -> None:
    texts = texts_of(LANGUAGES[0])
    keyboard, sheet = (WEB / "static/tablet" / at for at in ("acts/keyboard.js", "sheets/dice.js"))
    keys = re.findall(r"""^  \[".+", "(\w+)"\],$""", keyboard.read_text("utf-8"), re.MULTILINE)
    assert len(keys) > 20
    assert [key for key in keys if not texts.has(f"tablet.key_{key}")] == []
    [reasons] = re.findall(r"const REASONS = .*?\[(.*?)\]\);", sheet.read_text("utf-8"), re.DOTALL)
    assert set(re.findall(r'"(\w+)"', reasons)) == set(VoidReason)
    assert [one for one in VoidReason if not texts.has(f"tablet.sheet_void_{one}")] == []


def test_one_thing_has_one_word_in_german() -> None:
    """Whoever reads tablet, room and findings beside each other meets one word for each."""
    others = {
        "a point of the board is a Feld": r"\bPunkt,? (mit einem zu viel|an dem)|\bPunkte, auf die",
        "a delay is a Verzögerung, the free time of a turn": r"Freizeit|Vorlaufzeit",
        "a reserve is a Bedenkzeit": r"Reserve",
        "a game is a Spiel": r"\bPartien?\b|Partiezettel",
        "to bear off is abtragen": r"[Aa]us(spielen|gespielt|würfel)",
        "the opening roll": r"Anfangswurf",
        "the starting position": r"Startstellung|Falsche Aufstellung|die Aufstellung$",
        "a checkpoint": r"Kontrollpunkt",
        "an appeal is a Berufung": r"Einspr[uü]ch",
        "a monitor is an Aufsicht": r"Beobachter|^Monitor$",
        "a baffle box": r"Würfelbox|\bBox\b",
        "a beaver": r"Beaver",
        "the cube is no die": r"Würfelhandlung|[Tt]oter Würfel|Würfel \(Doppler\)",
        "readers are Sie": r"\b([Dd]u|[Dd]ein\w*|[Dd]ir|[Dd]ich)\b",
    }
    wrong = [
        (thing, key)
        for texts in _catalogues("de").values()
        for key, text in texts.items()
        for thing, other in others.items()
        if re.search(other, text)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("language", "in_the_menu"), [("en", r"first: (.+), in the menu\."), ("de", r"im Menü: (.+)\.")]
)
def test_what_a_text_sends_somebody_to_in_the_menu_stands_there(
    language: str, in_the_menu: str
) -> None:
    texts = _catalogues(language)["tablet"]
    named = [found[1] for text in texts.values() for found in re.finditer(in_the_menu, text)]
    assert len(named) == 3
    assert set(named) <= {text for key, text in texts.items() if key.startswith("tablet.sheet_")}


def test_every_alarm_that_stops_or_spares_a_tablet_has_its_words() -> None:
    """Without them a tablet says in English, and of every alarm, that sending has stopped."""
    sync = (WEB / "static/device/sync/sync.js").read_text("utf-8")
    raised = {*re.findall(r'#raise\("([a-z-]+)"', sync), "not-authenticated", "not-permitted"}
    assert "file-refused" in raised
    texts = texts_of(LANGUAGES[0])
    assert [one for one in raised if not texts.has(f"tablet.alarm_{one.replace('-', '_')}")] == []


def test_a_number_has_the_mark_of_its_language_before_its_decimals() -> None:
    english, german = texts_of("en"), texts_of("de")
    assert english.number(-4.145, 2) == "-4.14"
    assert german.number(0.125, 3, signed=True) == "+0,125"


@pytest.mark.gate
def test_the_modules_are_type_safe(require: Callable[[bool, str], None], tmp_path: Path) -> None:
    npx = shutil.which("npx")
    require(npx is not None, "there is no npx for the type checker of JavaScript")
    checked = subprocess.run(
        [str(npx), "-y", "-p", TYPESCRIPT, "tsc", "-p", str(WEB / "jsconfig.json")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        check=False,
    )
    fetched = "npm error" not in checked.stderr
    require(fetched, "the type checker of JavaScript cannot be fetched")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.gate
def test_the_program_alone_serves_every_file_where_nothing_else_is_installed(
    tmp_path: Path,
) -> None:
    program = [sys.executable, "-c", "from api.cli import main; main()"]
    bare = {"PATH": str(tmp_path), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    process = subprocess.Popen(
        [*program, "serve", "--demo", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**bare, "PYTHONPATH": str(WEB.parents[1])},
    )
    assert process.stdout is not None
    try:
        told = itertools.takewhile(lambda line: "Ctrl-C" not in line, process.stdout)
        address = re.search(r"http://127\.0\.0\.1:\d+", "".join(told))
        assert address is not None
        with httpx.Client(base_url=address[0], timeout=30) as client:
            for path in ("/", "/tablet", "/sw.js", "/tablet.webmanifest", "/tournaments/demo"):
                assert client.get(path).status_code == 200, path
            for folder in ("static", "texts"):
                for file in (WEB / folder).rglob("*"):
                    name = file.relative_to(WEB / "static" if folder == "static" else WEB)
                    if file.is_file() and not file.name.endswith(".d.ts"):
                        answer = client.get(assets().url(name.as_posix()))
                        assert answer.status_code == 200, name
                        is_told = file.suffix in COMMENTED
                        whole = without_comments(file.read_text("utf-8")) if is_told else ""
                        assert answer.content == (whole.encode() or file.read_bytes()), name
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def test_a_module_begins_with_what_it_is_for() -> None:
    for path in sorted((WEB / "static").rglob("*.js")):
        first = path.read_text("utf-8").split("\n", 1)[0]
        assert re.fullmatch(r"// .{10,140}", first), f"{path.name}: {first!r}"


# -- fonts ----------------------------------------------------------------------------------------


MEASURE = """() => {
  const one = Object.assign(document.createElement("span"), {
    textContent: "Bartholomäus to roll", style: "font: 600 40px/normal system-ui",
  });
  document.body.append(one);
  const {width, height} = one.getBoundingClientRect();
  return [width, height];
}"""


def test_the_sets_of_fonts_differ_in_width_and_in_height(new_context: NewContext) -> None:
    measured: dict[str, list[float]] = {}
    for fonts in FONT_SETS:
        page = new_context(fonts=fonts).new_page()
        page.goto("/health")
        measured[fonts] = page.evaluate(MEASURE)
    (width, height), (narrower, higher) = measured[WIDE], measured[NARROW]
    assert width > narrower * 1.15
    assert higher > height * 1.05


GREY = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("main, main * { color: #ddd !important; background: #eee !important; }");
  document.adoptedStyleSheets = [sheet];
}"""


def test_a_page_that_axe_has_seen_is_asked_for_its_colours_and_for_all_once_it_changes(
    page: Page,
) -> None:
    page.goto("/")
    check_axe(page)
    check_axe(page)
    page.evaluate(GREY)
    with pytest.raises(AssertionError, match="color-contrast"):
        check_axe(page)
    page.evaluate("document.adoptedStyleSheets = []")
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    with pytest.raises(AssertionError, match="button-name"):
        check_axe(page)
