# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every source file names its licence in its first line, or in the second after a shebang."""

import pathlib

from source_tree import ROOMS, Finding

NAME = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SLASHES = {".h", ".cpp", ".c", ".td", ".def", ".proto"}
HASHES = {".py", ".sh", ".cmake"}
HASHED_NAMES = {"CMakeLists.txt", "lit.site.cfg.py.in"}


def expected(path):
    """The line that a file must have; none for what is no source: tests in text, data, pages."""
    if path.suffix in SLASHES or path.name == "Folders.h.in":
        return f"// {NAME}"
    if path.suffix in HASHES or path.name in HASHED_NAMES:
        return f"# {NAME}"
    return None


def check(tree):
    if not tree.exists("LICENSE"):
        yield Finding(pathlib.PurePath("LICENSE"), 1, "is missing")
    for path in tree.files(under=ROOMS) + tree.files(under="."):
        line = expected(path)
        if not line:
            continue
        first = [text for _, text in tree.lines(path)[:2]]
        place = 1 if first and first[0].startswith("#!") else 0
        if len(first) <= place or first[place] != line:
            yield Finding(path, place + 1, f"must be '{line}'")
