"""What is made of a replay for readers: lines, scenes, transcripts, windows, alarms."""
