"""What readers share: a foreign match told act by act until it is a stream of entries."""
