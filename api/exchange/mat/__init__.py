"""Jellyfish's `.mat` and its dialects: read and written."""
