# SPDX-License-Identifier: GPL-3.0-or-later
"""Printed figures against stored ones, to the printed digits.

>>> agree("44.7 ms", 0.04468), agree("44.7 ms", 0.04476), agree("−1.46 k  −26 % ▼", -1464.2), agree("1.72 MB, the same", 1724320)
(True, False, True, True)
>>> agree("2,413 samples/s", 2413.4), agree("79.86 %", 0.7986), agree("–", None), agree("0", None), agree("–", 0.0), agree("lost", 1)
(True, True, True, False, False, False)
"""
import re

UNITS = {"": 1, "%": 0.01, "k": 1e3, "M": 1e6, "G": 1e9, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9,
         "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
FIGURE = re.compile(r"(?P<sign>[-−]?)(?P<digits>\d[\d,]*(?:\.\d+)?)(?: (?P<unit>%|[µnm]?s|[kMG]?B|[KMG]iB|[kMG])(?![\w]))?")


def agree(printed, stored):
    """Whether the stored number rounds to the first figure of the text. No number must be printed as a dash."""
    if stored is None:
        return printed.strip().startswith("–")
    found = FIGURE.search(printed)
    if not found:
        return False
    digits = found["digits"].replace(",", "")
    unit = UNITS[found["unit"] or ""]
    half = 0.5 * 10 ** -len(digits.partition(".")[2]) * unit  # of the last printed place
    value = (-1 if found["sign"] else 1) * float(digits) * unit
    return abs(value - stored) <= half * (1 + 1e-9) + 1e-12 * abs(stored)


if __name__ == "__main__":
    import doctest
    import sys

    sys.exit(doctest.testmod().failed)
