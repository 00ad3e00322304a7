"""Doors: everything that touches the world, over HTTP, the command line and match files."""
