"""Names of the machines in full, for people."""

FULL_NAMES = {
    "cs": "Crammer-Singer",
    "ww": "Weston-Watkins",
    "llw": "Lee-Lin-Wahba",
    "ovr": "one-vs-rest",
    "ovo": "one-vs-one",
    "maxent": "maximum entropy",
}
