"""What all pages share: static files by content hash, templates, texts in each language."""
