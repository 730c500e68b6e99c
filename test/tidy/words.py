# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words that do not belong in the house: promises, rooms without a name, paths of one machine."""

import pathlib
import re

from source_tree import ROOMS, Finding

UNNAMED = {"utils", "util", "helpers", "helper", "misc", "common"}
PROMISES = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
# Absolute paths that every Debian machine has begin with usr, etc, dev, proc, sys or tmp.
MACHINE_PATH = re.compile(r"(?<![\w.$})>*-])/(home|root|work|workspace|Users|mnt|opt|srv)/\w")
TEXT = {".h", ".cpp", ".c", ".td", ".def", ".mlir", ".test", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".in"}
ITSELF = pathlib.PurePath("test/tidy")


def check(tree):
    for path in tree.files(under=ROOMS) + tree.files(under="."):
        for part in path.parts:
            if part.split(".")[0].lower() in UNNAMED:
                yield Finding(path, 1, f"'{part}': a thing without a name has no room yet")
        if path.suffix not in TEXT or ITSELF in path.parents:
            continue
        for number, line in tree.lines(path):
            if promise := PROMISES.search(line):
                yield Finding(path, number, f"'{promise[0]}': do it, or write an issue")
            if machine := MACHINE_PATH.search(line):
                yield Finding(path, number, f"'{machine[0]}...' is a path of one machine")
