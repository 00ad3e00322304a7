"""Match formats: one file a format, reader and writer together, pure text and drafts."""
