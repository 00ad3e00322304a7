"""Pages that people read: the public ones, the room, and what a browser fetches beside them."""
