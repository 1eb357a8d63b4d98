"""Changes of bytes that keep some of what they mean."""

import random


def mutated(content: bytes, words: list[bytes], rng: random.Random) -> bytes:
    """Return content with pieces changed, moved, repeated, lost, or put in.

    Parameters
    ----------
    content : bytes
    words : list of bytes
        Pieces that mean something in this format.
    rng : Random
    """
    changed = bytearray(content)
    for _ in range(rng.choice((0, 1, 1, 2, 4, 8))):
        at, length = rng.randint(0, len(changed)), rng.choice((1, 1, 2, 8, 40))
        kind = rng.randrange(7)
        if kind == 0 and words:
            changed[at:at] = rng.choice(words)
        elif kind == 1 and words:
            changed[at : at + length] = rng.choice(words)
        elif kind == 2:
            changed[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 3:
            del changed[at : at + length]
        elif kind == 4:
            other = rng.randint(0, len(changed))
            changed[at:at] = changed[other : other + length]
        elif kind == 5 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif rng.random() < 0.3:
            del changed[at:]
    return bytes(changed)
