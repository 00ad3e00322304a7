"""The limits of one connection: heads, bodies, silence and slow readers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from api.hall.bounded import GUEST, BoundedProtocol, Joining, bounded
from api.hall.places import Bounds, Places, Refusals

WHOLE = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"
WITH_TOKEN = b"GET / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\n\r\n"
WITH_SESSION = b"GET / HTTP/1.1\r\nhost: x\r\ncookie: a=b; tabularium_session=s\r\n\r\n"
COOKIE_OF_ANOTHER = b"GET / HTTP/1.1\r\nhost: x\r\ncookie: a=b\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9000\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
PIECE = 64 * 1024


class Timer:
    """A call that is due later."""

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds = seconds
        self.call = call
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Loop:
    """Timers that a test lets ring; what would be answered is never begun."""

    def __init__(self) -> None:
        self.timers: list[Timer] = []
        self.asked = 0

    def call_later(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def create_task(self, coroutine: Coroutine[Any, Any, None], **_: Any) -> asyncio.Future[None]:
        self.asked += 1
        coroutine.close()
        return asyncio.get_running_loop().create_future()

    @property
    def waiting(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.is_cancelled]

    def ring(self) -> None:
        """All that is due later is due now."""
        waiting, self.timers = self.waiting, []
        for timer in waiting:
            timer.call()


class Wire:
    """The other end of a connection."""

    def __init__(self, address: str, *, is_tls: bool = False) -> None:
        self.address = address
        self.is_tls = is_tls
        self.written = b""
        self.is_closed = False
        self.is_aborted = False
        self.is_paused = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        known = {"peername": (self.address, 1), "sockname": ("10.0.0.1", 80)}
        return {**known, **({"sslcontext": True} if self.is_tls else {})}.get(name, default)

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = self.is_aborted = True

    def is_closing(self) -> bool:
        return self.is_closed

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False


class Hall:
    """A server's connections, without a server."""

    def __init__(self, bounds: Bounds) -> None:
        self.places = Places(bounds)
        self.loop = Loop()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            raise AssertionError("nothing is answered here")

        self._config = uvicorn.Config(app, ws="none", log_config=None)
        self._state = ServerState()

    def connect(
        self, address: str = "10.0.0.2", *, is_tls: bool = False
    ) -> tuple[BoundedProtocol, Wire]:
        made = bounded(self.places, https_only=b"max-age=86400")
        protocol = made(self._config, self._state, {}, self.loop)  # type: ignore[arg-type]  # as much of a loop as is asked
        wire = Wire(address, is_tls=is_tls)
        protocol.connection_made(wire)  # type: ignore[arg-type]  # as much of a transport as is asked
        return protocol, wire


@pytest.fixture
async def hall() -> Hall:
    return Hall(Bounds(connections=12, of_one_address=4))


@pytest.mark.parametrize(
    "endless",
    [b"GET /" + b"a" * PIECE, b"GET / HTTP/1.1\r\na: " + b"b" * PIECE, b"GET / HTTP/1.1\r\n"],
    ids=["request line", "one header", "headers"],
)
async def test_a_head_without_an_end_is_refused_and_read_no_further(
    hall: Hall, endless: bytes
) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(endless)
    for _ in range(100):
        protocol.data_received(
            b"x: y\r\n" * (PIECE // 6) if endless[-1:] == b"\n" else b"c" * PIECE
        )
    assert wire.written.startswith(b"HTTP/1.1 431 ")
    assert wire.is_closed
    assert hall.loop.asked == 0


async def test_a_head_that_is_too_large_as_a_whole_is_refused(hall: Hall) -> None:
    fields = b"".join(b"x%d: y\r\n" % number for number in range(101))
    for head in (fields, b"x: " + b"y" * 33_000 + b"\r\n"):
        protocol, wire = hall.connect()
        protocol.data_received(b"GET / HTTP/1.1\r\n" + head + b"\r\n")
        assert wire.written.startswith(b"HTTP/1.1 431 ")
        protocol.connection_lost(None)
    assert hall.loop.asked == 0


async def test_what_is_no_request_is_refused_and_never_in_the_middle_of_an_answer(
    hall: Hall,
) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(b"\x00\x01 no request\r\n\r\n")
    assert wire.written.startswith(b"HTTP/1.1 400 ")
    assert wire.is_closed
    protocol, wire = hall.connect()
    protocol.data_received(WHOLE)
    protocol.data_received(b"\x00\x01 no request\r\n\r\n")
    assert wire.written == b""
    assert wire.is_aborted


@pytest.mark.parametrize(
    ("address", "is_tls", "lasts"),
    [("10.0.0.2", True, True), ("10.0.0.2", False, False), ("127.0.0.1", True, False)],
    ids=["from the hall by TLS", "from the hall in the clear", "from this machine"],
)
async def test_no_refusal_of_the_protocol_is_sniffed_and_tls_stays_tls(
    hall: Hall, address: str, is_tls: bool, lasts: bool
) -> None:
    said = []
    for data in (b"\x00\r\n\r\n", b"GET / HTTP/1.1\r\na: " + b"b" * PIECE, b"GET "):
        protocol, wire = hall.connect(address, is_tls=is_tls)
        protocol.data_received(data)
        hall.loop.ring()
        said.append(wire.written)
    assert [one.split(b" ")[1] for one in said] == [b"400", b"431", b"408"]
    assert all(b"\r\nx-content-type-options: nosniff\r\n" in one for one in said)
    told = b"\r\nstrict-transport-security: max-age=86400\r\n"
    assert {told in one for one in said} == {lasts}


async def test_what_strangers_send_is_counted_in_the_log_and_not_told_line_by_line(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    upgrade = WHOLE.replace(b"\r\n\r\n", b"\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
    for sent in (b"\0nonsense\r\n\r\n", upgrade) * 20:
        protocol, wire = hall.connect()
        protocol.data_received(sent)
        # A server that starts resets the levels of uvicorn's own loggers.
        assert not protocol.logger.name.startswith("uvicorn")
        wire.abort()
        protocol.connection_lost(None)
    assert [record.getMessage() for record in caplog.records] == [
        "requests refused, bad request: 1, the last one from 10.0.0.2"
    ]


async def test_a_request_that_is_whole_is_answered_and_no_timer_waits_for_it(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(WHOLE)
    assert hall.loop.asked == 1
    assert hall.loop.waiting == []
    assert not wire.is_closed


async def test_a_head_as_large_as_heads_may_be_is_answered_in_however_many_pieces(
    hall: Hall,
) -> None:
    protocol, _ = hall.connect()
    head = b"GET /" + b"a" * 16_000 + b" HTTP/1.1\r\nx: " + b"y" * 16_000 + b"\r\n\r\n"
    for at in range(0, len(head), 100):
        protocol.data_received(head[at : at + 100])
    assert hall.loop.asked == 1


async def test_who_connects_and_says_nothing_is_let_go(hall: Hall) -> None:
    _, wire = hall.connect()
    hall.loop.ring()
    assert wire.is_closed


async def test_a_head_that_trickles_is_given_up_however_often_a_byte_comes(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(WHOLE)
    protocol.cycle.response_complete = True
    for byte in (b"GET ", b"/ HT", b"TP/1"):
        protocol.data_received(byte)
    assert len(hall.loop.waiting) == 1
    hall.loop.ring()
    assert wire.written.startswith(b"HTTP/1.1 408 ")
    assert wire.is_closed


async def test_a_body_is_waited_for_as_long_as_it_comes(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(POST)
    for _ in range(3):
        protocol.data_received(b"b" * 2_048)
        hall.loop.ring()
    assert not wire.is_closed
    protocol.data_received(b"b")
    hall.loop.ring()
    assert wire.is_closed


async def test_where_the_server_reads_no_further_a_body_is_not_late(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(POST)
    protocol.flow.pause_reading()
    hall.loop.ring()
    assert not wire.is_closed


async def test_what_stands_beside_a_body_is_bounded_too(hall: Hall) -> None:
    for endless in (b"1;" + b"e" * PIECE, b"0\r\nt: " + b"t" * PIECE):
        protocol, wire = hall.connect()
        protocol.data_received(CHUNKED + endless)
        protocol.data_received(b"f" * PIECE)
        assert wire.is_closed
        protocol.connection_lost(None)


async def test_a_large_body_is_held_against_no_request_after_it(hall: Hall) -> None:
    protocol, wire = hall.connect()
    for _ in range(3):
        # A tablet that was away for long, or a photo; the next head comes separately.
        protocol.data_received(POST.replace(b"9000", b"%d" % (4 * PIECE)))
        for _ in range(4):
            protocol.data_received(b"b" * PIECE)
    assert (wire.written, wire.is_closed) == (b"", False)


async def test_white_space_behind_a_field_is_none_of_it(hall: Hall) -> None:
    protocol, wire = hall.connect()
    said = b"POST / HTTP/1.1\r\nhost: x\r\nif-match:  * \t\r\ncontent-length: 2 \r\n\r\n{}"
    protocol.data_received(said)
    assert dict(protocol.headers) == {b"host": b"x", b"if-match": b"*", b"content-length": b"2"}
    assert not wire.is_closed


async def test_what_stands_behind_a_body_is_no_field_of_its_head(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(CHUNKED + b"2\r\n{}\r\n0\r\nauthorization: Bearer t\r\n\r\n")
    assert [name for name, _ in protocol.headers] == [b"host", b"transfer-encoding"]
    assert not wire.is_closed


@pytest.mark.parametrize("name", [b"Upgrade", b"upgrade", b"UPGRADE"])
@pytest.mark.parametrize("protocol_named", [b"h2c", b"websocket"])
async def test_who_asks_for_another_protocol_is_answered_in_this_one(
    hall: Hall, name: bytes, protocol_named: bytes
) -> None:
    protocol, wire = hall.connect()
    wish = b"connection: Upgrade\r\n" + name + b": " + protocol_named + b"\r\n"
    body = b'{"says":"\nUpgrade: x"}'
    head = b"POST / HTTP/1.1\r\nhost: x\r\n" + wish + b"content-length: %d\r\n\r\n" % len(body)
    protocol.data_received(head + body)
    assert (protocol.cycle.body, protocol.cycle.more_body) == (body, False)
    protocol.data_received(head.replace(b"POST", b"GET").replace(b"%d" % len(body), b"0") + WHOLE)
    assert len(protocol.pipeline) == 2, "what is asked next is a request, and no frame"
    assert not wire.is_closed
    # Wherever a head is split, its body arrives as it was sent.
    whole = head + body
    cuts = [[whole[:at], whole[at:]] for at in range(1, len(whole))]
    for pieces in [*cuts, [whole[at : at + 1] for at in range(len(whole))]]:
        protocol, wire = hall.connect()
        for piece in pieces:
            protocol.data_received(piece)
        assert (protocol.cycle.body, wire.is_closed) == (body, False)
        protocol.connection_lost(None)


@pytest.mark.parametrize("before", [WHOLE, b"\r\n\r\n"])
async def test_what_is_sent_as_a_body_is_never_taken_for_a_request(
    hall: Hall, before: bytes
) -> None:
    wish = b"connection: upgrade\r\nupgrade: h2c\r\ncontent-length: %d\r\n\r\n" % len(WHOLE)
    protocol, wire = hall.connect()
    protocol.data_received(before + b"POST / HTTP/1.1\r\nhost: x\r\n" + wish)
    protocol.data_received(WHOLE)
    assert wire.is_closed
    assert hall.loop.asked == before.count(b"GET")


@pytest.mark.parametrize("is_1_0", [True, False])
async def test_who_knows_no_chunks_is_sent_none_and_what_streams_ends_with_the_connection(
    hall: Hall, is_1_0: bool
) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(WHOLE.replace(b"1.1", b"1.0") if is_1_0 else WHOLE)
    cycle: Any = protocol.cycle
    cycle.transport = wire
    await cycle.send({"type": "http.response.start", "status": 200, "headers": []})
    for piece in (b"one", b"two", b""):
        body = {"type": "http.response.body", "body": piece, "more_body": bool(piece)}
        await cycle.send(body)
    head, _, sent = wire.written.partition(b"\r\n\r\n")
    in_chunks = b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
    assert sent == (b"onetwo" if is_1_0 else in_chunks)
    assert (b"chunked" in head, wire.is_closed) == (not is_1_0, is_1_0)


async def test_small_chunks_are_a_body_all_the_same(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(CHUNKED)
    for _ in range(20_000):
        protocol.data_received(b"1\r\nb\r\n")
    assert not wire.is_closed


async def test_a_flood_of_requests_in_one_piece_is_cut_off(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(WHOLE * 9)
    assert not wire.is_closed
    protocol.data_received(WHOLE)
    assert wire.is_aborted


async def test_who_reads_nothing_is_let_go_and_who_reads_again_is_not(hall: Hall) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(WHOLE)
    protocol.pause_writing()
    protocol.resume_writing()
    hall.loop.ring()
    assert not wire.is_closed
    protocol.pause_writing()
    hall.loop.ring()
    assert wire.is_aborted


async def test_an_answer_that_ends_a_connection_does_not_wait_for_its_reader_for_ever(
    hall: Hall,
) -> None:
    protocol, wire = hall.connect()
    protocol.data_received(WHOLE)
    protocol.cycle.response_complete = True
    wire.close()
    protocol.on_response_complete()
    hall.loop.ring()
    assert wire.is_aborted


# -- places ----------------------------------------------------------------------------------------


async def test_a_silent_connection_gives_its_place_to_the_next_of_its_address(hall: Hall) -> None:
    silent = [hall.connect() for _ in range(4)]
    for _, wire in silent[:2]:
        assert not wire.is_closed
    fifth, wire = hall.connect()
    assert silent[0][1].is_aborted
    assert not wire.is_closed
    fifth.data_received(WHOLE)
    assert hall.loop.asked == 1
    assert hall.places.taken == 4


def is_refused(hall: Hall, address: str = "10.0.0.2", asked: bytes = WHOLE) -> bool:
    """Whether somebody more is answered 503 and let go when he asks for something."""
    protocol, wire = hall.connect(address)
    protocol.data_received(asked)
    refused = wire.written.startswith(b"HTTP/1.1 503 ") and b"retry-after" in wire.written
    assert wire.is_closed == refused
    if refused:
        protocol.connection_lost(None)
    return refused


async def test_of_an_address_whose_places_are_taken_the_next_one_that_asks_is_refused(
    hall: Hall,
) -> None:
    assert [is_refused(hall) for _ in range(5)] == [False] * 4 + [True]
    assert not is_refused(hall, "10.0.0.3")
    assert hall.loop.asked == 5


async def test_strangers_take_no_place_that_is_kept_for_tablets_and_directors() -> None:
    hall = Hall(Bounds(connections=12, of_one_address=4))
    many = [f"10.0.1.{number}" for number in range(9)]
    assert [is_refused(hall, one) for one in many] == [False] * 6 + [True] * 3
    staff = []
    # More connections of one address than strangers may have, because these are not strangers'.
    for _ in range(6):
        protocol, wire = hall.connect()
        protocol.data_received(WITH_TOKEN)
        assert protocol.scope[GUEST] is protocol  # type: ignore[typeddict-item]  # a key of our own
        protocol.take_as_staff()
        assert not wire.is_closed
        staff.append(protocol)
    assert hall.places.taken == 12
    for protocol in staff:
        protocol.cycle.response_complete = True
        protocol.data_received(WHOLE)
        assert GUEST not in protocol.scope
    assert hall.loop.asked == 6 + 12


async def test_a_token_that_nobody_knows_takes_no_kept_place() -> None:
    hall = Hall(Bounds(connections=4, of_one_address=4))
    for address in ("10.0.0.3", "10.0.0.4"):
        assert not is_refused(hall, address)
    protocol, _ = hall.connect("10.0.0.5")
    protocol.data_received(WITH_TOKEN)
    assert not protocol.take_as_stranger()
    hall.places.leave(protocol)
    assert is_refused(hall, "10.0.0.6", COOKIE_OF_ANOTHER)


async def test_who_is_let_in_by_a_token_may_be_a_stranger_who_signs_in(hall: Hall) -> None:
    protocol, _ = hall.connect()
    protocol.data_received(WHOLE)
    assert hall.places.strangers == 1
    protocol.cycle.response_complete = True
    protocol.data_received(WITH_SESSION)
    protocol.take_as_staff()
    assert hall.places.strangers == 0
    protocol.connection_lost(None)
    assert (hall.places.taken, hall.places.strangers) == (0, 0)


async def test_silent_connections_of_a_full_address_keep_no_tablet_of_it_out(hall: Hall) -> None:
    for _ in range(4):
        assert not is_refused(hall)
    silent = [hall.connect() for _ in range(3)]
    tablet, wire = hall.connect()
    assert [other.is_closed for _, other in silent] == [True] * 3
    tablet.data_received(WITH_TOKEN)
    tablet.take_as_staff()
    assert not wire.is_closed


@pytest.mark.parametrize("connections", [824, 1_200, 4_096])
def test_a_full_hall_has_its_places_whatever_the_system_allows(connections: int) -> None:
    # Two hundred tablets have two connections each: by one they follow, by one they send.
    bounds = Bounds(connections)
    assert bounds.kept >= 400
    assert bounds.followers < bounds.of_strangers <= connections - 400
    assert connections < 4_096 or bounds.followers > 1_000


async def test_a_full_house_takes_the_place_of_whoever_holds_the_most_silent_ones(
    hall: Hall,
) -> None:
    hall.places.bounds = Bounds(connections=6, of_one_address=4)
    of_a_crowd = [hall.connect("10.0.0.9") for _ in range(4)]
    alone = [hall.connect(f"10.0.0.{number}") for number in (3, 4)]
    _, wire = hall.connect("10.0.0.5")
    assert not wire.is_closed
    assert of_a_crowd[0][1].is_aborted
    assert not any(other.is_closed for _, other in alone)


async def test_a_place_is_free_again_once_its_guest_is_gone(hall: Hall) -> None:
    for _ in range(20):
        protocol, wire = hall.connect()
        protocol.data_received(WHOLE)
        assert not wire.is_closed
        protocol.connection_lost(None)
        protocol.connection_lost(None)
    assert hall.places.taken == 0


async def test_a_network_of_ipv6_is_one_address(hall: Hall) -> None:
    for number in range(4):
        hall.connect(f"2001:db8:1:1::{number:x}")[0].data_received(WHOLE)
    assert is_refused(hall, "2001:db8:1:1:ffff::1")
    assert not is_refused(hall, "2001:db8:1:2::1")


async def test_ipv4_is_told_apart_where_a_socket_of_both_kinds_writes_it_as_ipv6(
    hall: Hall,
) -> None:
    for _ in range(4):
        hall.connect("::ffff:10.0.0.9")[0].data_received(WHOLE)
    assert is_refused(hall, "10.0.0.9")
    assert not is_refused(hall, "::ffff:10.0.0.8")


def test_of_each_kind_of_refusal_the_log_has_a_line_now_and_then(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 0.0
    refusals = Refusals(lambda: now)
    with caplog.at_level(logging.WARNING):
        for _ in range(500):
            refusals.tell("requests refused", "10.0.0.2")
        now = 11.0
        refusals.tell("requests refused", "10.0.0.3")
    assert [record.getMessage() for record in caplog.records] == [
        "requests refused: 1, the last one from 10.0.0.2",
        "requests refused: 500, the last one from 10.0.0.3",
    ]


@pytest.mark.parametrize("size", [0, 9, PIECE, PIECE + 1])
async def test_a_head_goes_out_with_its_body_and_in_order(size):
    wire = Calls("10.0.0.1")
    answer = Joining(wire, asyncio.get_running_loop())
    answer.write(b"head")
    assert wire.calls == []
    answer.write(b"b" * size)
    answer.write(b"more")
    assert b"".join(wire.calls) == b"head" + b"b" * size + b"more"
    assert len(wire.calls) == (2 if size <= PIECE else 3)
    await asyncio.sleep(0)
    assert wire.calls[-1] == b"more"  # and no head a second time


async def test_a_head_that_nothing_follows_goes_out_by_itself():
    for end in (Joining.close, None):
        wire = Calls("10.0.0.1")
        answer = Joining(wire, asyncio.get_running_loop())
        answer.write(b"head")
        if end is not None:
            end(answer)
            assert wire.is_closed
            assert answer.is_closing()
        await asyncio.sleep(0)
        assert wire.calls == [b"head"]
        answer.write(b"later")
        # Where the reader is gone, uvloop would raise.
        assert wire.calls == [b"head"] + ([b"later"] if end is None else [])
    wire = Calls("10.0.0.1")
    answer = Joining(wire, asyncio.get_running_loop())
    answer.write(b"head")
    wire.abort()
    await asyncio.sleep(0)
    assert wire.calls == []


class Calls(Wire):
    """A transport that keeps each write separate."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.calls: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.calls.append(data)
