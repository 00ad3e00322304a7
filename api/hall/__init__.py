"""The hall's network: how this machine is reached, and how tablets come to trust it."""
