# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row of docs/papers.md: what a paper printed, what Windlass says, and whether that is near enough.

How near it must be:
  Printed   each value agrees with the printed digits, rounded or cut off
  Within    each value is between two multiples of the published one
  Ratio     the same, and on the same side of 1: what is faster there is faster here
  Capacity  the largest model is at least 0.95 of the published one, and within 10 % of the paper's own bound on
            memory, at the bytes a parameter that a plan keeps
"""

import dataclasses

CAPACITY_LEAST, CAPACITY_OF_BOUND = 0.95, 0.90


@dataclasses.dataclass
class Row:
    what: str
    published: list  # texts, as printed
    ours: list       # numbers in the same unit
    why: str = ""
    low: float = 0   # Within: of the published value
    high: float = 0
    turn: float = 0  # Ratio: the value on whose other side the answer is the opposite
    bound: float = 0  # Capacity: the paper's, in the unit of `ours`
    size: int = 0     # Capacity: what was grown, and the smallest that did not fit
    too_large: int = 0

    def pairs(self):
        return [(float(text.rstrip("BT")), ours) for text, ours in zip(self.published, self.ours, strict=True)]

    def turned(self):
        return self.turn != 0 and any((number - self.turn) * (ours - self.turn) < 0 for number, ours in self.pairs())

    def held(self):
        pairs = self.pairs()
        if self.turned():
            return False
        if self.bound:
            return all(ours >= CAPACITY_LEAST * number and CAPACITY_OF_BOUND * self.bound <= ours <= self.bound
                       for number, ours in pairs)
        if self.high:
            return all(self.low * number <= ours <= self.high * number for number, ours in pairs)
        return all(abs(ours - number) < 10.0 ** -decimals(text)
                   for text, (number, ours) in zip(self.published, pairs, strict=True))

    def differs(self):
        """The largest difference, as a share of the published value."""
        return max((ours / number - 1 if number else ours for number, ours in self.pairs()), key=abs)

    def cells(self):
        """published, Windlass, difference, why"""
        digits = [decimals(text) if not (self.bound or self.high) else None for text in self.published]
        ours = [shown(value, count) + unit(text)
                for value, count, text in zip(self.ours, digits, self.published, strict=True)]
        difference = "none" if not (self.bound or self.high) and self.held() else f"{100 * self.differs():+.3g} %"
        if self.bound:
            difference += f"; {100 * self.ours[0] / self.bound:.0f} % of {shown(self.bound)}{unit(self.published[0])}"
        if not self.held():
            difference += ", **missed, wrong direction**" if self.turned() else ", **missed**"
        return " / ".join(self.published), " / ".join(ours), difference, self.why


def decimals(text):
    return len(text.rstrip("BT").partition(".")[2])


def unit(text):
    return text[len(text.rstrip("BT")):]


def shown(value, count=None):
    if count is not None:
        return f"{value:.{count}f}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def printed(what, published, ours, why=""):
    return Row(what, published.split(" / "), list(ours), why)


def within(what, published, ours, low, high, why=""):
    return Row(what, published.split(" / "), list(ours), why, low, high)


def ratio(what, published, ours, low, high, why=""):
    return Row(what, [published], [ours], why, low, high, turn=1)


def capacity(what, published, found, bound, why=""):
    """Billions of parameters."""
    return Row(what, [published], [found["parameters"] / 1e9], why, bound=bound, size=found["size"],
               too_large=found["too_large"])
