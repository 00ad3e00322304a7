"""Files in, streams out: match files taken in by the thousand, and archives brought back."""
