"""Who may do what, and which device records which match."""
