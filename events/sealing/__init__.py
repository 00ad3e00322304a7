"""The seals: a hash chain per stream and an RFC 6962 tree per log."""
