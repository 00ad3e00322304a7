"""What `serve` does for https: its certificates, and how tablets come to trust them."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

from api.commands.printing import fail, on_terminal
from api.hall import authority
from api.hall.addresses import address_of, addresses, is_loopback, names
from api.hall.authority import Papers, Trust
from api.settings import Settings, default_authority
from events.store.address import FileAddress, parse_address

PAIRS_A_LINE = 16
"""Pairs of a fingerprint in one line of the start message."""


def speaks_https(settings: Settings) -> bool:
    """Whether https is served; or the command ends, where the settings contradict one another."""
    if settings.certificate is None and settings.key is None:
        return not is_loopback(settings.host) if settings.https is None else settings.https
    if settings.certificate is None or settings.key is None:
        fail("https takes both: --certificate and --key")
    if settings.https is False:
        fail("--no-https serves no certificate: leave out --certificate and --key, or --no-https")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
            settings.certificate, settings.key
        )
    except OSError as error:
        # ssl.SSLError is an OSError: a file that is missing, or has other content.
        fail(f"{settings.certificate} and {settings.key} cannot be used: {error}")
    return True


def authority_folder(settings: Settings) -> Path:
    """Where the archive's own authority lies: beside an SQLite file, else in the data folder."""
    if settings.authority is not None:
        return settings.authority
    address = parse_address(settings.db)
    if isinstance(address, FileAddress):
        return address.path.with_name(address.path.name + ".https")
    return default_authority()


def subjects(settings: Settings) -> list[str]:
    """Names and addresses that the server certificate has to be for, as of now."""
    own = [*names(), *map(str, addresses())]
    address = address_of(settings.host)
    if address is None or not address.is_unspecified:
        own.append(settings.host.lower() if address is None else str(address))
    return list(dict.fromkeys(own))


def papers_of(settings: Settings) -> Papers | None:
    """The papers of the archive's own authority, made or renewed; None where others are named."""
    if settings.certificate is not None:
        return None
    now = datetime.datetime.now(datetime.UTC)
    return authority.prepare(authority_folder(settings), subjects(settings), now=now)


def context_of(settings: Settings, papers: Papers | None) -> ssl.SSLContext:
    """What the server shows to whoever comes over https."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    if papers is None:
        assert settings.certificate is not None
        context.load_cert_chain(settings.certificate, settings.key)
    else:
        context.load_cert_chain(papers.chain_file)
    return context


def renewal(settings: Settings, trust: Trust, context: ssl.SSLContext) -> Callable[[str], None]:
    """Told by which address somebody came, it has the certificate cover that one from now on.

    A laptop that joins the hall's network after its start has an address that was not known then.
    """
    hopeless: set[str] = set()

    def reached_by(local: str) -> None:
        papers = trust.papers
        address = str(address_of(local) or local)
        if papers is None or address in papers.covered or address in hopeless:
            return
        now = datetime.datetime.now(datetime.UTC)
        wanted = [*subjects(settings), address]
        trust.papers = authority.prepare(papers.folder, wanted, now=now)
        context.load_cert_chain(trust.papers.chain_file)
        if address not in trust.papers.covered:
            hopeless.add(address)

    return reached_by


def greeting(trust: Trust) -> Iterator[str]:
    """What the start says of it, line by line."""
    yield f"  trust      {trust.page}"
    papers = trust.papers
    if papers is None:
        yield "             (checks whether a tablet trusts your certificate, and leads on)"
        return
    yield "             (open it first on each tablet, once: it says how, and tests it)"
    if papers.is_new:
        yield f'             A new authority was made, "{papers.name}": no tablet trusts it yet.'
        yield f"             It lies in {papers.folder}; keep its key to yourself."
    if datetime.datetime.now(datetime.UTC) < papers.server.not_valid_before_utc:
        yield "             It is not valid yet by this machine's clock: see `doctor`."
    pairs = papers.fingerprint.split(":")
    yield f"             SHA-256  {':'.join(pairs[:PAIRS_A_LINE])}"
    yield f"                      {':'.join(pairs[PAIRS_A_LINE:])}"
    if papers.left_out:
        yield f"             It cannot vouch for {', '.join(papers.left_out)}: see `doctor`."
    if on_terminal() and trust.is_for_others:
        yield from picture(trust.page)


def picture(url: str) -> Iterator[str]:
    """A QR code for a terminal, dark on light whatever its colours."""
    # Imported here: no other command draws one.
    import segno

    rows = [list(row) for row in segno.make(url, error="m", micro=False).matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    for above, below in zip(rows[::2], rows[1::2], strict=True):
        blocks = (" ▄▀█"[2 * (not up) + (not down)] for up, down in zip(above, below, strict=True))
        yield f"\x1b[97;40m{''.join(blocks)}\x1b[0m"
