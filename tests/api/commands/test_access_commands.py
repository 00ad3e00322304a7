"""`grant` and `revoke`: tokens are shown once, grants are entries."""

from __future__ import annotations

from pathlib import Path

from api.archive.archive import open_archive, token_hash


def test_a_token_is_shown_once_and_only_its_hash_is_kept(run, database: Path) -> None:
    [made] = run("grant", "--role", "director", "--holder", "Zoe Marsh", "--json").lines
    assert set(made) == {"token", "grant", "role", "log", "match"}
    assert len(made["token"]) == 64
    archive = open_archive(f"sqlite:///{database}", read_only=True)
    try:
        [held] = archive.reading.grants(None, token_hash(made["token"]))
        assert held.grant_id == made["grant"]
        sealed = b"".join(row.sealed for row in archive.store.read_log("archive"))
    finally:
        archive.close()
    assert made["token"].encode() not in sealed
    assert b"Zoe" not in sealed


def test_grants_reach_as_far_as_they_say(run, match_file: Path) -> None:
    run("import", match_file)
    [over_log] = run("grant", "--role", "scribe", "--log", "imports", "--json").lines
    [over_match] = run("grant", "--role", "viewer", "--match", "a264", "--json").lines
    assert over_log["match"] is None
    assert over_match["log"] == "imports"
    assert over_match["match"].startswith("a2642bff")
    listed = {row["grant"]: row["scope"] for row in run("revoke", "--json").lines}
    assert listed == {over_log["grant"]: "log", over_match["grant"]: "match"}


def test_a_grant_is_listed_and_revoked(run) -> None:
    assert "shown only now" in run("grant", "--role", "viewer", "--holder", "Zoe Marsh").err
    [held] = run("revoke", "--json").lines
    assert held["holder"] == "Zoe Marsh"
    assert "Zoe Marsh" in run("revoke").out
    assert "is revoked" in run("revoke", held["grant"][:8]).out
    assert run("revoke", "--json").lines == []
    assert "no grants yet" in run("revoke").err
    assert "no grant in force" in run("revoke", held["grant"], exit_code=2).err


def test_wrong_grants_say_what_is_wrong(run, database: Path) -> None:
    assert "superhero" in run("grant", "--role", "superhero", exit_code=2).err
    assert "--role" in run("grant", exit_code=2).err
    assert "nowhere" in run("grant", "--role", "viewer", "--log", "nowhere", exit_code=2).err
    assert "no match has" in run("grant", "--role", "viewer", "--match", "zz", exit_code=2).err
    run("grant", "--role", "viewer")
    assert "grants have an id" in _two(run)


def _two(run) -> str:
    run("grant", "--role", "viewer")
    err: str = run("revoke", "", exit_code=2).err
    return err


def test_the_operators_token_is_shown_when_it_is_asked_for(run, database: Path) -> None:
    shown = run("token").out.strip()
    file = database.with_name(database.name + ".operator")
    assert file.stat().st_mode & 0o777 == 0o600
    archive = open_archive(f"sqlite:///{database}")
    try:
        # Beside a process that writes as well.
        assert run("token").out.strip() == shown == archive.operator_token()
        assert archive.reading.knows(token_hash(shown))
        file.unlink()
        assert "made anew when the server is started" in run("token", exit_code=2).err
    finally:
        archive.close()
    assert run("token").out.strip() != shown
    file.write_bytes(b"\xff\x00")
    again = run("token").out.strip()
    assert file.read_text().strip() == again != shown
    assert "tabularium grant" in run("token", "--db", "memory://", exit_code=2).err
