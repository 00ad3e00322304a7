"""What a benchmark ran on, in a line: figures of other machines or builds are no comparison."""

from __future__ import annotations

import os
import platform
import sqlite3
import sysconfig


def built() -> str:
    """The Python build with what it was compiled by, SQLite, and the processors of this machine."""
    asked = sysconfig.get_config_var("CONFIG_ARGS") or ""
    ways = [name for name, flag in _WAYS.items() if flag in asked]
    return (
        f"Python {platform.python_version()} ({platform.python_compiler()},"
        f" {' and '.join(ways) or 'neither PGO nor LTO'}), SQLite {sqlite3.sqlite_version},"
        f" {platform.machine()}, {len(os.sched_getaffinity(0))} processors:"
        " ratios count, not figures"
    )


_WAYS = {"PGO": "--enable-optimizations", "LTO": "--with-lto"}
