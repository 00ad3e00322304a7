"""A process to be killed: appends from four hands, and prints each entry id once it is safe."""

from __future__ import annotations

import os
import sys
import threading
import uuid

from events.envelope import EventDraft
from events.personal import disclose
from events.store.opening import open_store
from events.store.protocol import Unit
from events.store.writer import Writer


def main(url: str) -> None:
    """Append for ever to the archive at `url`."""
    store = open_store(url)
    writer = Writer(store)

    def hand(stream: str) -> None:
        while True:
            _, context = disclose(os.urandom(16), "context", {"recorded_by": stream})
            draft = EventDraft(
                entry_id=str(uuid.uuid4()),
                tag="dice.rolled",
                body=b'{"dice":[3,1]}',
                context=context,
            )
            unit = Unit(log_id="club", stream_id=stream, drafts=(draft,))
            event = writer.submit(unit).result().events[0]
            # One write per line: hands must not print into one another's lines.
            os.write(1, f"{event.entry_id} {event.global_position}\n".encode())

    hands = [threading.Thread(target=hand, args=(f"m{at}",)) for at in range(4)]
    for thread in hands:
        thread.start()
    for thread in hands:
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1])
