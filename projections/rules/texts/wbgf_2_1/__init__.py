"""`wbgf-2.1`: WBGF Tournament Rules 2.1, of which sentences are in hand."""
