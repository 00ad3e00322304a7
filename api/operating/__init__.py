"""Keeping an archive going: copies of it, their way back, and files for the machine it runs on."""
