# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing stands alone: a pass has its file and its text test, and a source is built."""

import json
import pathlib
import re

from source_tree import Finding

PASS = re.compile(r'def (\w+) *: *\w*Pass<"([^"]+)"')


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def passes(tree):
    """One pass, one file, one test, one name."""
    for table in tree.files(".td", under="passes"):
        level = table.parent.name
        for number, line in tree.lines(table):
            if not (match := PASS.match(line)):
                continue
            name, flag = match.groups()
            if flag != kebab(name):
                yield Finding(table, number, f"pass {name} has the flag '{flag}', not '{kebab(name)}'")
            for partner in (f"passes/{level}/{name}.cpp", f"test/passes/{level}/{kebab(name)}.mlir"):
                if not tree.exists(partner):
                    yield Finding(table, number, f"pass {name} has no {partner}")


def sources(tree):
    """A source that the build does not know is never compiled: a test in it never runs."""
    if tree.build is None:
        return
    commands = json.loads((tree.build / "compile_commands.json").read_text(encoding="utf-8"))
    built = {pathlib.Path(command["directory"], command["file"]).resolve() for command in commands}
    for path in tree.files(".cpp", ".c"):
        if (tree.root / path).resolve() not in built:
            yield Finding(path, 1, "no CMakeLists.txt builds this file")


def check(tree):
    yield from passes(tree)
    yield from sources(tree)
