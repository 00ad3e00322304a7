"""One open archive: reading it, following it, its trees, files, personal values and its index."""
