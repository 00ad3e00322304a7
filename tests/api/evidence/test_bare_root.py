"""A bare root with Debian's tools and nothing else: a bundle is verified there as anywhere."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from api.evidence.scripts import verify as verifier

SCRIPTS = Path(verifier.__file__).parent

COREUTILS = "base64 cat date head mktemp rm sha256sum sort split tail tr wc"
TOOLS = ("bash", "xxd", "openssl", *COREUTILS.split())
"""All that verify.sh may call."""


def found(tool: str) -> Path:
    path = shutil.which(tool, path="/usr/bin:/bin")
    assert path is not None, tool
    return Path(path)


def test_no_tool_is_called_but_these() -> None:
    text = (SCRIPTS / "verify.sh").read_text("utf-8")
    for tool in ("awk", "sed", "grep", "find", "cut", "cmp", "diff", "xargs", "perl", "python"):
        assert not re.search(rf"(?m)(^|[|;(]\s*|\bdo |\bthen ){tool}\b", text), tool


def test_debians_tools_are_enough(folder: Path, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).symlink_to(found(tool))
    clean = {"PATH": str(tools)}
    command = [str(tools / "bash"), str(SCRIPTS / "verify.sh"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    # Python asks for openssl alone, and takes nothing but its own library.
    for tool in tools.iterdir():
        if tool.name != "openssl":
            tool.unlink()
    python = [sys.executable, "-I", "-S", str(SCRIPTS / "verify.py"), str(folder)]
    done = subprocess.run(python, capture_output=True, text=True, check=False, env=clean)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_without_openssl_python_says_what_it_lacks(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    python = [sys.executable, "-I", "-S", str(SCRIPTS / "verify.py"), str(folder)]
    clean = {"PATH": str(tmp_path / "bin")}
    done = subprocess.run(python, capture_output=True, text=True, check=False, env=clean)
    assert done.returncode == 2
    assert "neither Python's cryptography nor openssl is here" in done.stderr


# -- a root of its own -----------------------------------------------------------------------------


def _put(root: Path, path: Path) -> None:
    """A program or library where it lies here, and all the libraries that it asks for."""
    there = root / str(path).lstrip("/")
    if there.exists() and path.suffix != ".so":
        return
    there.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, there)
    told = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"(?:=> |^\s*)(/\S+)", told, re.M):
        _put(root, Path(library))


def _python(root: Path) -> str:
    """The interpreter and its standard library, without what others installed."""
    program = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    left_out = shutil.ignore_patterns(
        *("test", "tests", "site-packages", "idlelib", "tkinter", "ensurepip", "__pycache__"),
        *("lib2to3", "config-*", "turtledemo", "pydoc_data"),
    )
    shutil.copytree(library, root / str(library).lstrip("/"), ignore=left_out)
    _put(root, program)
    for module in (library / "lib-dynload").glob("*.so"):
        _put(root, module)
    return str(program)


def _enter(root: Path) -> list[str] | None:
    """What runs a command in that root, if this machine lets us."""
    for way in (["chroot"], ["unshare", "--map-root-user", "chroot"]):
        if shutil.which(way[0]) is None:
            continue
        command = [*way, str(root), "/usr/bin/bash", "-c", "exit 0"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return [*way, str(root)]
    return None


@pytest.mark.gate
@pytest.mark.parametrize("by", ["bash", "python"])
def test_a_root_that_holds_nothing_else_verifies_it(
    folder: Path, tmp_path: Path, by: str, require: Any
) -> None:
    root = tmp_path / "root"
    for name in ("dev", "tmp", "usr/bin"):
        (root / name).mkdir(parents=True)
    for tool in TOOLS if by == "bash" else ("bash", "openssl"):
        real = found(tool).resolve()
        _put(root, real)
        place = root / "usr" / "bin" / tool
        if not place.exists():
            place.symlink_to(real)
    if os.geteuid() == 0:
        os.mknod(root / "dev" / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    shutil.copytree(folder, root / "bundle")
    if by == "bash":
        command = ["/usr/bin/bash", "/verify.sh", "/bundle"]
        shutil.copy(SCRIPTS / "verify.sh", root / "verify.sh")
    else:
        command = [_python(root), "-I", "-S", "/verify.py", "/bundle"]
        shutil.copy(SCRIPTS / "verify.py", root / "verify.py")
    clean = {"PATH": "/usr/bin:/usr/sbin"}
    way = _enter(root)
    require(way is not None, "there is neither root nor a user namespace to enter another root by")
    assert way is not None
    whole = [*way, *command]
    done = subprocess.run(whole, capture_output=True, text=True, check=False, env=clean)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert done.stdout.splitlines()[-1].startswith("OK")
    # What passes there can fail there as well.
    entry = sorted((root / "bundle" / "entries").iterdir())[0]
    entry.write_bytes(entry.read_bytes().replace(b"1", b"2", 1))
    done = subprocess.run(whole, capture_output=True, text=True, check=False, env=clean)
    assert done.returncode == 1, (done.stdout, done.stderr)
