"""The bodies of events, one noun a file: frozen, closed, integers and strings, units in names."""
