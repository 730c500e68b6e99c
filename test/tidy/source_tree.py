# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The repository as the house rules see it: its files, and what is wrong with them."""

import pathlib
from typing import NamedTuple

ROOMS = ("compiler", "passes", "planning", "model", "dialects", "runtime", "tools", "test", "examples", "docs")
SKIPPED = ("build", "out", "__pycache__")


class Finding(NamedTuple):
    """A broken rule; prints as compilers do, so that editors jump to it."""

    file: pathlib.PurePath
    line: int
    message: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.message}"


class SourceTree:
    """The tree under a root, and the folder it was configured in, if it was."""

    def __init__(self, root, build=None):
        self.root = pathlib.Path(root)
        self.build = pathlib.Path(build) if build else None

    def files(self, *suffixes, under=ROOMS):
        """Paths of files relative to the root, sorted; those of the root itself come with under="."."""
        found = []
        for folder in [under] if isinstance(under, str) else under:
            walk = self.root.glob("*") if folder == "." else (self.root / folder).rglob("*")
            found += [path.relative_to(self.root) for path in walk if path.is_file()]
        return sorted(path for path in found
                      if (not suffixes or path.suffix in suffixes) and not self.skipped(path))

    @staticmethod
    def skipped(path):
        return any(part in SKIPPED or part.startswith("build-") or part.endswith(".plan") for part in path.parts)

    def lines(self, path):
        """(number, line) of a text file; nothing of a binary one."""
        try:
            text = (self.root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return []
        return list(enumerate(text.splitlines(), 1))

    def exists(self, path):
        return (self.root / path).exists()
