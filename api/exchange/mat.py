"""The .mat format of JellyFish, GNU Backgammon and many others: reader and writer."""

from __future__ import annotations

from api.exchange.mat_losses import KINDS, LOSS_OF
from api.exchange.mat_reader import read
from api.exchange.mat_writer import sanitised, write
from api.exchange.writing import Details, Illegal

__all__ = ["KINDS", "LOSS_OF", "Details", "Illegal", "read", "sanitised", "write"]
