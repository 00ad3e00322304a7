"""The page for the operator and the examples beside it name what there is, and come with us."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

import api.operating
from api.cli import COMMANDS, app
from api.settings import Settings

FOLDER = Path(api.operating.__path__[0])
FILES = ("Containerfile", "nginx.conf", "tabularium.service", "tabularium-backup.service")
TEXTS = {name: (FOLDER / name).read_text("utf-8") for name in (*FILES, "README.md")}


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_and_setting_that_is_named_exists(name: str) -> None:
    settings = {f"TABULARIUM_{one.upper()}" for one in Settings.model_fields}
    assert set(re.findall(r"TABULARIUM_[A-Z_]+", TEXTS[name])) <= settings
    called = re.findall(r"(?:^|[`/ \"])tabularium ([a-z]+)\b", TEXTS[name])
    assert {one for one in called if one not in ("tabularium",)} <= {*COMMANDS, "under", "behind"}


@pytest.mark.parametrize("name", ["tabularium.service", "tabularium-backup.service"])
def test_what_a_unit_starts_is_taken_by_the_command_line(name: str) -> None:
    [started] = re.findall(r"^ExecStart=/opt/tabularium/bin/tabularium (.+)$", TEXTS[name], re.M)
    command, *options = shlex.split(started)
    told = CliRunner().invoke(app, [command, "--help"])
    assert told.exit_code == 0
    for option in options:
        assert not option.startswith("-") or option in told.output


def test_the_unit_lets_a_full_hall_in_and_little_else() -> None:
    unit = TEXTS["tabularium.service"]
    [files] = re.findall(r"^LimitNOFILE=(\d+)$", unit, re.M)
    assert int(files) >= 4_096
    for line in (
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "CapabilityBoundingSet=",
        "UMask=0077",
    ):
        assert re.search(rf"^{line}$", unit, re.M), line


def test_the_proxy_lets_files_and_streams_through_and_logs_no_query() -> None:
    conf = TEXTS["nginx.conf"]
    assert "access_log off;" in conf
    assert re.search(r"location ~ \S*/live\$ \{[^}]*proxy_buffering off;", conf)
    assert "X-Forwarded-For $remote_addr;" in conf
    assert "client_max_body_size 51m;" in conf


def test_the_server_behind_the_proxy_believes_it_and_gives_it_the_whole_halls_places() -> None:
    [proxied] = re.findall(r"^  server (\S+):8340;$", TEXTS["nginx.conf"], re.M)
    unit = dict(re.findall(r"^Environment=(\w+)=(.+)$", TEXTS["tabularium.service"], re.M))
    assert unit["TABULARIUM_PROXIES"] == unit["TABULARIUM_HOST"] == proxied
    most = Settings.model_fields["max_connections"].default
    assert int(unit["TABULARIUM_MAX_CONNECTIONS_PER_ADDRESS"]) == most
    assert "X-Forwarded-Proto https;" in TEXTS["nginx.conf"]


@pytest.mark.gate
def test_systemd_finds_no_fault_in_the_units(require, tmp_path: Path) -> None:
    require(shutil.which("systemd-analyze") is not None, "there is no systemd-analyze")
    for name in ("tabularium.service", "tabularium-backup.service", "tabularium-backup.timer"):
        text = (FOLDER / name).read_text("utf-8")
        (tmp_path / name).write_text(text.replace("/opt/tabularium/bin/tabularium", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", *sorted(map(str, tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in done.stderr.splitlines() if "tabularium" in line]
    assert (done.returncode, ours) == (0, [])


@pytest.mark.gate
def test_nginx_of_debian_takes_the_example(require, tmp_path: Path) -> None:
    # Not everybody's path leads there.
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    require(nginx is not None, "there is no nginx")
    require(shutil.which("openssl") is not None, "there is no openssl")
    papers = ("-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "chain.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=a", *papers],
        check=True,
        capture_output=True,
    )
    site = TEXTS["nginx.conf"]
    for name, ours in (("fullchain", "chain"), ("privkey", "key")):
        site = site.replace(
            f"/etc/letsencrypt/live/archive.example/{name}.pem", str(tmp_path / f"{ours}.pem")
        )
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/errors; events {{}} http {{ {site} }}"
    )
    done = subprocess.run(
        [str(nginx), "-t", "-c", str(whole)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
