"""OGXM: read and written."""
