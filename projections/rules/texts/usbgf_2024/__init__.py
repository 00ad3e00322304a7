"""`usbgf-2024`: USBGF Tournament Rules 2024, of which sentences are in hand."""
