"""`tabularium rules`: the rule sets, what of each is verified, and the texts loaded for them."""

from __future__ import annotations

import getpass
import hashlib
import importlib
import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from api.archive.archive import wall_clock_ms
from api.archive.rule_texts import MAX_BYTES, Loaded, RuleTexts, Verified, texts_of
from api.commands.common import Db, Json, check_rule_set, settings_of
from api.commands.printing import REFUSED, counted, fail, line, safe, say, show
from projections.rules.profile import RuleProfile
from projections.rules.sentences import Mark, Sentence, is_in, sentence_hash
from projections.rules.sentences import held as held_of
from projections.rules.shelf import SHELF
from projections.views.lines import Line

rules = typer.Typer(
    name="rules",
    add_completion=False,
    rich_markup_mode=None,
    help="Rule sets: how far each is verified, and your own copies of their texts.",
    no_args_is_help=False,
    invoke_without_command=True,
)

RuleSet = Annotated[str, typer.Argument(metavar="SET", help="Id of the rule set.")]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="NAME", help="Your name. (default: the name of your account)"),
]


@rules.callback(invoke_without_command=True)
def list_rules(
    context: typer.Context,
    rule_set: Annotated[
        str | None,
        typer.Option("--set", metavar="ID", help="Show one rule set, section by section."),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Rule sets: how far each is verified, and your own copies of their texts.

    An unverified sentence gives a question with the likely answer, never a consequence.
    """
    if context.invoked_subcommand is not None:
        return
    texts = texts_of(settings_of(db))
    chosen = SHELF.values() if rule_set is None else [_profile(rule_set)]
    for profile in chosen:
        if as_json:
            line(_told(profile, texts))
        else:
            for text in _lines(profile, texts, is_whole=rule_set is not None):
                show(text)


@rules.command("add")
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The text: a PDF, or plain UTF-8.")],
    rule_set: Annotated[
        str | None,
        typer.Option(
            "--set",
            metavar="ID",
            help="Id of the rule set. (default: recognised by its known sentences)",
        ),
    ] = None,
    by: By = None,
    db: Db = None,
) -> None:
    """Load the text of a rule set. It is kept by its hash beside the database, for you alone.

    Its sections are shown with cases and in the director's room. Its sentences are looked up:
    answers that are based on one found there count from then on. A running server notices the text
    at its next request.
    """
    data = _content(file)
    is_pdf = data.startswith(b"%PDF-")
    words = _words_of_pdf(data, file) if is_pdf else _words_of_text(data, file)
    profile = _whose(words, file) if rule_set is None else _profile(rule_set)
    texts = texts_of(settings_of(db))
    before = texts.in_hand().get(profile.id, {})
    loaded = Loaded(
        rule_set=profile.id,
        sha256=hashlib.sha256(data).hexdigest(),
        kind="pdf" if is_pdf else "txt",
        name=file.name,
        added_ms=wall_clock_ms(),
        by=by or getpass.getuser(),
    )
    texts.add(data, words, loaded)
    say(f"{file.name} is loaded for {profile.id}, sha256 {loaded.sha256}")
    found = texts.sections(profile)
    say(f"{counted(len(found), 'section')} of {len(profile.contents)} found by their numbers")
    if profile.sentences:
        fresh = sorted(set(texts.in_hand().get(profile.id, {})) - set(before))
        say(f"verified by it: {', '.join(fresh) or 'no sentence that was not verified before'}")
        if left := _unverified(profile, texts):
            say(f"still to be named: {', '.join(left)} (tabularium rules verify {profile.id} ...)")


@rules.command("remove")
def remove(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="Beginning of the text's hash, or the name of its file."
        ),
    ],
    rule_set: Annotated[
        str | None, typer.Option("--set", metavar="ID", help="Only for this rule set.")
    ] = None,
    db: Db = None,
) -> None:
    """Remove a loaded text, and the sentences that were verified in it."""
    texts = texts_of(settings_of(db))
    found = [
        one
        for one in texts.loaded
        if (one.sha256.startswith(text.lower()) or one.name == text)
        and rule_set in (None, one.rule_set)
    ]
    if not found:
        fail(f"no text is loaded that is called {text!r}: see `tabularium rules`")
    if len(found) > 1:
        names = ", ".join(f"{one.sha256[:16]} ({one.rule_set})" for one in found)
        fail(f"several texts are called {text!r}: {names}: name one by its hash, and with --set")
    [one] = found
    gone = texts.remove(one)
    say(f"{one.name} is no longer loaded for {one.rule_set}")
    if gone:
        say(f"no longer verified: {', '.join(named.sentence for named in gone)}")


@rules.command("verify")
def verify(
    rule_set: RuleSet,
    section: Annotated[
        str,
        typer.Argument(
            metavar="SECTION", help="Section, or name of the sentence, as the list shows it."
        ),
    ],
    sentence: Annotated[
        str, typer.Argument(metavar="SENTENCE", help="The sentence as it is in the loaded text.")
    ],
    by: By = None,
    db: Db = None,
) -> None:
    """Name the sentence of the loaded text that confirms a rule known only at second hand.

    From then on the rule gives a consequence instead of a question. The hash of the sentence and
    your name are recorded.
    """
    profile = _profile(rule_set)
    texts = texts_of(settings_of(db))
    known = _sentence(profile, section)
    where = [sha256 for sha256, words in texts.texts(profile.id) if is_in(sentence, words)]
    if not where:
        is_loaded = any(True for _ in texts.texts(profile.id))
        hint = "name it as it stands there, to its end" if is_loaded else "load one: rules add FILE"
        fail(f"no loaded text of {profile.id} has this sentence: {hint}", REFUSED)
    if known.mark is Mark.QUOTED and known.sha256 == sentence_hash(sentence):
        say(f"{known.name} is verified already: the loaded text has it as it was quoted")
        return
    if known.mark is Mark.PUBLISHED:
        fail(f"{known.name} is published, and verified: there is nothing to name", REFUSED)
    named = Verified(
        rule_set=profile.id,
        sentence=known.name,
        sha256=sentence_hash(sentence),
        words=" ".join(sentence.split()),
        text_sha256=where[0],
        at_ms=wall_clock_ms(),
        by=by or getpass.getuser(),
    )
    texts.verify(named)
    say(f"{profile.id} {known.name} is verified by {named.by}, sha256 {named.sha256}")
    say(f"it is taken to say: {known.words}")


@rules.command("text")
def text(
    rule_set: RuleSet,
    section: Annotated[
        str, typer.Argument(metavar="SECTION", help="Section, as findings cite it.")
    ],
    db: Db = None,
) -> None:
    """Print a section of a loaded text."""
    profile = _profile(rule_set)
    if profile.caption(section) is None:
        fail(f"{profile.id} has no section {section!r}: see `tabularium rules --set {profile.id}`")
    words = texts_of(settings_of(db)).text_of("", profile.id, section)
    if words is None:
        fail(
            f"no loaded text of {profile.id} has section {section}:"
            " `tabularium rules add FILE` loads one",
            REFUSED,
        )
    for row in words.splitlines():
        show(safe(row))


def _profile(rule_set: str) -> RuleProfile:
    check_rule_set(rule_set)
    return SHELF[rule_set]


def _sentence(profile: RuleProfile, section: str) -> Sentence:
    """The one sentence that is meant; the command ends if there is none."""
    if section in profile.sentences:
        return profile.sentences[section]
    found = [one for one in profile.sentences.values() if one.section == section]
    if not found:
        names = ", ".join(profile.sentences) or "none: its text was read as a whole"
        fail(f"{profile.id} knows no sentence {section!r}: {names}")
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        fail(f"several sentences of {profile.id} stand in {section}: name one of {names}")
    return found[0]


def _unverified(profile: RuleProfile, texts: RuleTexts) -> list[str]:
    held = held_of(profile.sentences, texts.in_hand().get(profile.id, {}))
    return [name for name in profile.sentences if name not in held]


# Reading a file.


def _content(file: Path) -> bytes:
    size = file.stat().st_size
    if size > MAX_BYTES:
        fail(f"{file} is larger than {MAX_BYTES:,} bytes")
    if not size:
        fail(f"{file} is empty")
    return file.read_bytes()


def _words_of_text(data: bytes, file: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        fail(f"{file} is neither a PDF nor text in UTF-8")


def _words_of_pdf(data: bytes, file: Path) -> str:
    # An optional module: plain text can be loaded without it.
    try:
        pypdf: Any = importlib.import_module("pypdf")
    except ModuleNotFoundError:
        fail(
            "reading a PDF takes the extra `rules`: run `uv sync --extra rules` or"
            " `pip install 'tabularium-backgammon[rules]'`, or load the text"
        )
    # Its own message about a broken file is not needed: one is printed below, once.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        pages = [page.extract_text() or "" for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    except (pypdf.errors.PyPdfError, ValueError, KeyError, RecursionError) as error:
        fail(f"{file} cannot be read as a PDF: {error}")
    words = "\n".join(pages)
    if not words.strip():
        fail(f"{file} holds pictures of pages and no text: load the text itself")
    return words


def _whose(words: str, file: Path) -> RuleProfile:
    """The rule set whose known sentences, or id, the text contains; if none, the command ends."""
    counts = {
        profile.id: sum(
            one.mark is not Mark.PARAPHRASED and is_in(one.words, words)
            for one in profile.sentences.values()
        )
        for profile in SHELF.values()
    }
    best = max(counts.values())
    found = [rule_set for rule_set, count in counts.items() if count == best and count]
    named = [rule_set for rule_set in SHELF if file.stem.startswith(rule_set)]
    one = next((ids[0] for ids in (named, found) if len(ids) == 1), None)
    if one is None:
        fail(f"whose text is {file.name}? Say so with --set: {', '.join(SHELF)}")
    return SHELF[one]


# Printing.


def _status(profile: RuleProfile, texts: RuleTexts) -> Iterator[Line]:
    """Every section, with what is verified of it, and from which source."""
    loaded = texts.in_hand().get(profile.id, {})
    held = held_of(profile.sentences, loaded)
    named = {one.sentence: one for one in texts.verified if one.rule_set == profile.id}
    found = texts.sections(profile)
    for section, caption in profile.contents.items():
        sentences = []
        for one in profile.sentences.values():
            if one.section != section:
                continue
            by = named.get(one.name) if held.get(one.name) is not None else None
            is_own = by is not None and by.sha256 == held.get(one.name)
            sentences.append(
                {
                    "name": one.name,
                    "mark": one.mark.value,
                    "words": one.words,
                    "source": one.source,
                    "verified": held.get(one.name),
                    "by": by.by if by is not None and is_own else None,
                }
            )
        is_read = profile.read_from is not None and section not in profile.unread
        yield {
            "section": section,
            "caption": caption,
            "verified": is_read
            or (bool(sentences) and all(one["verified"] is not None for one in sentences)),
            "sentences": sentences,
            "is_loaded": section in found,
        }


def _told(profile: RuleProfile, texts: RuleTexts) -> Line:
    return {
        "rule_set": profile.id,
        "title": profile.title,
        "read_from": profile.read_from,
        "texts": [
            {"sha256": one.sha256, "name": one.name, "added_ms": one.added_ms, "by": one.by}
            for one in texts.loaded
            if one.rule_set == profile.id
        ],
        "sections": list(_status(profile, texts)),
    }


def _lines(profile: RuleProfile, texts: RuleTexts, *, is_whole: bool) -> Iterator[str]:
    sections: list[Any] = list(_status(profile, texts))
    verified = sum(one["verified"] for one in sections)
    yield f"{profile.id}  {profile.title}"
    read = profile.read_from
    by = "" if read is None else f", read from a text, sha256 {read[:16]}..."
    yield f"  {verified} of {counted(len(sections), 'section')} verified{by}"
    for one in texts.loaded:
        if one.rule_set == profile.id:
            yield f"  loaded   {safe(one.name)}, sha256 {one.sha256[:16]}..., by {safe(one.by)}"
    for section in sections if is_whole or profile.sentences else ():
        if is_whole or section["sentences"]:
            mark = "verified" if section["verified"] else "asks"
            shown = ", text loaded" if section["is_loaded"] else ""
            yield f"  {section['section']}  {section['caption']} ({mark}{shown})"
        for one in section["sentences"]:
            how = "not verified" if one["verified"] is None else f"sha256 {one['verified'][:16]}..."
            by = "" if one["by"] is None else f", named by {safe(one['by'])}"
            yield f"    {one['name']} [{one['mark']}, {how}{by}] {one['words']}"
