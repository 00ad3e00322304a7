"""What routes share: who asks, what may be seen, how a list and an answer are written."""
