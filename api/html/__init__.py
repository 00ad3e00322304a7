"""Rendering of pages: templates, texts, pictures, moments of matches, static files."""
