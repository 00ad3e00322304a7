"""A fingerprint as words that two people can compare across a table."""

from __future__ import annotations

import hashlib

from events.sealing.devices import decoded

_TEXT = """
acorn amber anchor apple apron arch arrow aspen atlas autumn badge bamboo banjo barley basil
basket beach beacon bell berry birch bishop blanket bloom bonnet bottle branch bread brick
bridge brook bucket butter button cabin cactus camel candle canoe canvas carpet castle cedar
cello chalk cherry chess cider circle clay cliff clock cloud clover coal cobble cocoa coffee
comet copper coral cotton cradle crane crayon cricket crown crystal curtain daisy dolphin donkey
dragon drum eagle easel ember engine falcon feather fern fiddle field finch flag flame flute
forest fossil fountain fox frost garden garlic gate ginger glacier globe glove goat gold goose
grape gravel guitar hammer harbor harp harvest hat hazel hedge helmet herald heron honey hook
horse island ivory ivy jacket jade jasmine jelly jewel jigsaw juniper kettle key king kite
kitten ladder lagoon lake lamp lantern lark lemon lentil lilac linen lion lizard lobster locket
lotus magnet maple marble market meadow melon mill mint mirror mist mitten monkey moon moss
mountain muffin napkin nectar needle nest noodle nutmeg oak oar oasis oat ocean olive onion opal
orange orchard orchid otter owl oyster paddle palace palm panda paper parrot pasta peach peanut
pearl pebble pepper piano pigeon pillow pine pirate planet plum pocket pond poppy potato prism
pumpkin puzzle quartz queen quill quilt rabbit radish raft rain raven reed ribbon river robin
rocket rope rose ruby saddle saffron sail salmon sand sandal satin saturn scarf shadow shell
ship silk silver sparrow spoon star stone storm sugar summer sunset tiger tower tulip velvet
violet walnut willow
"""

WORDS = tuple(_TEXT.split())
"""256 plain words, one for each value of a byte; their order never changes."""


def words_of(digest: bytes) -> list[str]:
    """The first four bytes of a hash as words."""
    return [WORDS[byte] for byte in digest[:4]]


def fingerprint_of(public_key: str | None, token_sha256: str) -> list[str]:
    """Four words for a device's key (base64), or for its token where it has none."""
    if public_key is None:
        return words_of(bytes.fromhex(token_sha256))
    try:
        key = decoded(public_key)
    except ValueError:
        # A grant may name what is no key: nothing signs with it, and the room goes on.
        key = public_key.encode()
    return words_of(hashlib.sha256(key).digest())
