#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where a page names a file of the repository that is not there, in a link or in backquotes."""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
# `compiler/driver/Compile.cpp`, `runtime/plan/`, `test/passes/Graph/*.mlir`, `model/Machine.{h,cpp}`
NAMED = re.compile(r"`((?:compiler|runtime|model|planning|dialects|passes|test|examples|tools|docs)/[^`\s]*)`")
PLACEHOLDER = re.compile(r"[<>]|[A-Z]{4,}|…")


def expand(pattern: str) -> list[str]:
    """The paths that {a,b} stands for."""
    braces = re.search(r"\{([^{}]*)\}", pattern)
    if not braces:
        return [pattern]
    return [path for part in braces[1].split(",") for path in expand(pattern.replace(braces[0], part, 1))]


def missing(root: pathlib.Path, page: pathlib.Path) -> list[str]:
    found = []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        for link in LINK.findall(line):
            if "://" not in link and not (page.parent / link).exists():
                found.append(f"{page.relative_to(root)}:{number}: links to {link}, which is not there")
        for name in NAMED.findall(line):
            if PLACEHOLDER.search(name):
                continue
            found += [f"{page.relative_to(root)}:{number}: names {path}, which is not there"
                      for path in expand(name) if not any(root.glob(path.rstrip("/")))]
    return found


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/*/README.md")]
    faults = [fault for page in sorted(pages) for fault in missing(root, page)]
    print("\n".join(faults) or f"{len(pages)} pages name only what is there")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
