"""A match for people: as text, and as a page that stands alone."""
