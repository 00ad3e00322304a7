"""Names and addresses by which other machines of the hall's network may reach this one."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
import struct
from collections.abc import Iterator
from functools import lru_cache

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")

# Nothing is sent to these: the system only says which address of ours it would send from.
_PROBES = (
    (socket.AF_INET, "192.0.2.1"),
    (socket.AF_INET, "10.255.255.254"),
    (socket.AF_INET, "172.31.255.254"),
    (socket.AF_INET, "192.168.255.254"),
    (socket.AF_INET6, "2001:db8::1"),
)

_SIOCGIFADDR = 0x8915
"""Linux: the number of the request (ioctl) for the IPv4 address of an interface."""


def address_of(text: str) -> IpAddress | None:
    """An address in one form: without a zone, and IPv4 in IPv6 as IPv4. None for a name."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


@lru_cache(maxsize=4_096)
def network_of(text: str) -> str:
    """The address or network by which a sender is counted: of IPv6 the network.

    A sender can have as many addresses in it as it likes. IPv4 that a socket of both kinds writes
    as IPv6 (`::ffff:10.0.0.9`) is IPv4, because otherwise all IPv4 senders would be one network.
    """
    found = address_of(text)
    if found is None or found.version == 4:
        return text if found is None else str(found)
    return str(ipaddress.ip_network((found, 64), strict=False))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there."""
    found = address_of(host)
    return host.lower() == "localhost" if found is None else found.is_loopback


def means_this_machine(host: str) -> bool:
    """Whether every device means itself by the name or address: it leads to no other device."""
    found = address_of(host.strip("[]"))
    if found is not None:
        return found.is_loopback or found.is_unspecified
    name = host.lower().rstrip(".")
    return name == "localhost" or name.endswith(".localhost")


def first_of_hall() -> str | None:
    """The address from which this machine sends to a network; None if it has no network."""
    for family, target in _PROBES[:1] + _PROBES[-1:]:
        found = _outward(family, target)
        if found is not None and not found.is_loopback:
            return str(found)
    return next((str(one) for one in addresses() if not one.is_loopback), None)


def addresses() -> tuple[IpAddress, ...]:
    """Every address of this machine that can be found, loopback included, in order.

    Link-local IPv6 addresses are left out: browsers cannot use them, because they do not accept a
    zone.
    """
    found: set[IpAddress] = {ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Address("::1")}
    found |= {one for target in _PROBES if (one := _outward(*target)) is not None}
    found |= set(_of_interfaces())
    usable = {one for one in found if not (one.version == 6 and one.is_link_local)}
    usable = {one for one in usable if not one.is_unspecified}
    return tuple(sorted(usable, key=lambda one: (one.version, int(one))))


def names() -> tuple[str, ...]:
    """The names of this machine: its own, and the same as `.local`.

    No name server is asked: a hall may have none, and the server would wait for the answer.
    """
    own = socket.gethostname().lower().rstrip(".")
    found = ["localhost", own]
    if "." not in own:
        found.append(f"{own}.local")
    return tuple(dict.fromkeys(name for name in found if is_name(name)))


def is_name(text: str) -> bool:
    """Whether a certificate can contain it as a name."""
    labels = text.split(".")
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in labels)


def _outward(family: socket.AddressFamily, target: str) -> IpAddress | None:
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((target, 9))
        return address_of(str(probe.getsockname()[0]))
    return None


def _of_interfaces() -> Iterator[IpAddress]:
    """IPv4 addresses of all interfaces, if the system can list them."""
    try:
        import fcntl
    except ImportError:
        # Windows answers this itself; on other systems a name server may be asked.
        with contextlib.suppress(OSError):
            for *_, where in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
                yield ipaddress.IPv4Address(str(where[0]))
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            with contextlib.suppress(OSError):
                answer = fcntl.ioctl(asked.fileno(), _SIOCGIFADDR, request)
                yield ipaddress.IPv4Address(answer[20:24])
