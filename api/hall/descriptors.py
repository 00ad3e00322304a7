"""How many files a process may open, which limits how many connections it can accept."""

from __future__ import annotations

import logging

from api.hall.places import Bounds
from api.settings import Settings

try:
    import resource
except ImportError:  # Windows has no such limit to raise.
    resource = None  # type: ignore[assignment]  # a module, or none

_log = logging.getLogger(__name__)

OF_OUR_OWN = 200
"""Descriptors that the archive itself needs: databases, files, keys, pipes of workers."""


def bounds_of(settings: Settings) -> Bounds:
    """The limits from the settings, lowered if the system does not allow so many open files.

    The soft limit of this process is raised for them as far as the system allows.
    """
    wanted = settings.max_connections
    able = _raised(wanted + OF_OUR_OWN) - OF_OUR_OWN
    bounds = Bounds(wanted, min(settings.max_connections_per_address, wanted))
    if able < wanted:
        wanted = max(16, able)
        bounds = Bounds(wanted, min(settings.max_connections_per_address, wanted))
        _log.warning(
            "the system allows this process so few open files that %d connections are taken at"
            " most, and not %d: %d places are kept for tablets and directors, and beyond %d"
            " followers are refused; raise the limit (ulimit -n, LimitNOFILE)",
            wanted,
            settings.max_connections,
            bounds.kept,
            bounds.followers,
        )
    return bounds


def _raised(wanted: int) -> int:
    """The number of open files allowed, after the soft limit was raised as far as possible."""
    if resource is None:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft in (unlimited, wanted) or soft > wanted:
        return wanted
    aim = wanted if hard == unlimited else min(wanted, hard)
    if aim > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (aim, hard))
        except (OSError, ValueError):
            return soft
    return aim
