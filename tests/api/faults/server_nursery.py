"""Imports everything once, then forks a server for each line on its standard input.

`start URL` forks a child that serves the archive at URL on a free port; the answer is one line
`PID PORT`. A fork takes hundredths of a second where a fresh interpreter takes a whole one, and
that is what makes many kills affordable.
"""

from __future__ import annotations

import os
import socket
import sys

import uvicorn

from api.app import create_app
from api.archive.archive import open_archive
from api.archive.index.index import MatchIndex
from api.settings import Settings


def serve(url: str, listening: socket.socket) -> None:
    """Serve the archive until somebody kills this process."""
    archive = open_archive(url)
    settings = Settings(db=url)
    index = MatchIndex(archive.store, archive.reading)
    app = create_app(archive, settings, index=index)
    config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="on")
    uvicorn.Server(config).run(sockets=[listening])


def main() -> None:
    """Fork on command until standard input ends."""
    for line in sys.stdin:
        url = line.split(maxsplit=1)[1].strip()
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        port = listening.getsockname()[1]
        pid = os.fork()
        if pid == 0:
            sys.stdin.close()
            serve(url, listening)
            os._exit(0)
        listening.close()
        print(pid, port, flush=True)
        # Reap on the next command: a killed child must not stay behind as a zombie.
        os.waitpid(pid, 0)
        print("gone", flush=True)


if __name__ == "__main__":
    main()
