"""The .mat format of JellyFish, GNU Backgammon and many others: reader and writer."""

from __future__ import annotations

from api.exchange.mat.reader import read
from api.exchange.mat.writer import sanitised, write
from api.exchange.writing.wanted import Details, Illegal

__all__ = ["Details", "Illegal", "read", "sanitised", "write"]
