# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A header opens with its contract: a ruler with its name and what it is, its duty, a ruler, and #pragma once.

    //===- Name.h - what it is ================================================//
    //
    // Duty: what it is for. Units, errors, threads, ownership.
    //
    //===----------------------------------------------------------------------===//
    #pragma once

Both rulers are 80 columns wide. What is precompiled (tools/cmake) is no interface and has none of this.
"""

import pathlib
import re

from source_tree import Finding

HELD = ("compiler", "dialects", "passes", "planning", "model", "runtime", "tools", "test")
PRECOMPILED = pathlib.PurePath("tools/cmake")
WIDTH = 80
END = "//===" + "-" * (WIDTH - 10) + "===//"


def broken_rule(path, lines):
    """(number, message) of the first rule that a header breaks; `lines`: without the licence."""
    first = lines[0] if lines else ""
    if not re.fullmatch(rf"//===- {re.escape(path.name)} - \S.*\S =+//", first):
        return 2, f"must be '//===- {path.name} - what it is ===...//'"
    if len(first) != WIDTH:
        return 2, f"a ruler of {len(first)} columns, must have {WIDTH}"
    if lines[1:2] != ["//"]:
        return 3, "must be '//'"
    if not "".join(lines[2:3]).startswith("// Duty: "):
        return 4, "must be '// Duty: what it is for'"
    end = next((at for at, line in enumerate(lines) if at > 0 and not re.match(r"// |//$", line)), len(lines))
    if lines[end - 1:end + 2] != ["//", END, "#pragma once"]:
        return end + 2, f"the contract must end with '//', '{END}' and '#pragma once'"
    return None


def check(tree):
    for path in tree.files(".h", under=HELD):
        if PRECOMPILED in path.parents:
            continue
        if broken := broken_rule(path, [line for _, line in tree.lines(path)][1:]):
            yield Finding(path, *broken)
