"""The way in: whatever is entered is looked at, refused or appended; devices and leases."""
