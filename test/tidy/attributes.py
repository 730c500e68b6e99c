# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes that ops carry beside their own: those that sources name are those that docs/architecture.md lists.

Such a name is a constant (`StringLiteral kPhase = "windlass.phase"`), for two places say it: who sets the attribute
and who reads it. A constant is one of an attribute if its value is spelt as one, if it stands in a header of
attributes, or if it is handed to `getAttr`, `setAttr` and their like. What TableGen declares as an argument of an op
is the op's own.
"""

import pathlib
import re

from source_tree import Finding

PAGE = pathlib.PurePath("docs/architecture.md")
HEADING = "| attribute | on | says |"
HELD = ("dialects", "passes", "compiler")
NAME = re.compile(r"(windlass|graph|dist|flow|plan)\.[a-z_]+")
DECLARED = re.compile(r"\b(?:StringLiteral|char \*)\s*(k[A-Z]\w*\s*=\s*\"[^\"]*\"(?:,\s*k[A-Z]\w*\s*=\s*\"[^\"]*\")*)")
CONSTANT = re.compile(r"(k[A-Z]\w*)\s*=\s*\"([^\"]*)\"")
ACCESS = re.compile(r"\b(?:get|set|has|remove)(?:Discardable|Arg|Result)?Attr(?:OfType)?(?:<[\w:]+>)?\(\s*"
                    r"(?:[\w.]+,\s+)?(?:(?:\w+::)*(k[A-Z]\w*)|\"([^\"]*)\")")
OWN = re.compile(r":\$(\w+)")


def constants(tree):
    """(path, line, identifier, value) of every constant text."""
    for path in tree.files(".h", ".cpp", under=HELD):
        text = "\n".join(line for _, line in tree.lines(path))
        for declaration in DECLARED.finditer(text):
            for match in CONSTANT.finditer(declaration[1]):
                yield path, text.count("\n", 0, declaration.start(1) + match.start()) + 1, match[1], match[2]


def accesses(tree):
    """(path, line, identifier or None, literal or None) of every attribute that is read or written by name."""
    for path in tree.files(".h", ".cpp", under=HELD):
        text = "\n".join(line for _, line in tree.lines(path))
        for match in ACCESS.finditer(text):
            yield path, text.count("\n", 0, match.start()) + 1, match[1], match[2]


def listed(tree):
    """The line of every name in the first column of the page's table."""
    names, inside = {}, False
    for number, line in tree.lines(PAGE):
        inside = line == HEADING or inside and line.startswith("|")
        cells = line.split("|")
        if inside and len(cells) == 5:
            for name in re.findall(r"`([^`]+)`", cells[1]):
                names[name] = number
    return names


def check(tree):
    own = {name for path in tree.files(".td", under="dialects") for _, line in tree.lines(path)
           for name in OWN.findall(line)}
    accessed = set()
    for path, number, constant, literal in accesses(tree):
        if constant:
            accessed.add(constant)
        elif literal not in own:
            yield Finding(path, number, f'"{literal}" is the name of an attribute: give it a constant')
    page, named = listed(tree), set()
    for path, number, constant, value in constants(tree):
        if not (NAME.fullmatch(value) or constant in accessed or path.stem.endswith("Attributes")):
            continue
        named.add(value)
        if value not in page:
            yield Finding(path, number, f"attribute '{value}' is missing in the table '{HEADING}' of {PAGE}")
    for name, number in page.items():
        if name not in named:
            yield Finding(PAGE, number, f"no source names the attribute '{name}'")
