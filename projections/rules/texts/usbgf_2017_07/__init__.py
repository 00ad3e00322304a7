"""`usbgf-2017-07`: USBGF Tournament Rules as proposed for public comment in July 2017."""
