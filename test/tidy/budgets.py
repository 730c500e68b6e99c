# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How large things may grow. Guides for writing are smaller (CONTRIBUTING.md); these are the walls."""

import re

from source_tree import Finding

FILE_LINES = {".cpp": 500, ".h": 300, ".td": 600, ".mlir": 320, ".py": 300, ".sh": 200}
FUNCTION_LINES = 120
INCLUDES = 30

# clang-format puts the braces of a function at namespace scope into column 0. Types and tables are no functions.
NOT_A_FUNCTION = re.compile(r"(namespace|class|struct|enum|union|extern)\b|.*[=\]] *\{$")


def functions(lines):
    """(first line, length) of every function whose braces close in column 0."""
    start = None
    for number, line in lines:
        if line == "}" and start:
            yield start, number - start + 1
        if re.match(r"[A-Za-z\[~]", line):
            start = start if start and not ended else number
            if NOT_A_FUNCTION.match(line) or line.endswith((";", "}", ":")):
                start = None
        ended = line.startswith("}") or line.endswith(";") and not line.startswith(" ")
        if ended:
            start = None


def check(tree):
    for path in tree.files(*FILE_LINES):
        lines = tree.lines(path)
        own = len(lines) - 1  # without the one that names the licence (licences.py)
        limit = FILE_LINES[path.suffix]
        if own > limit:
            yield Finding(path, len(lines), f"{own} lines, at most {limit}: split it by duty")
        if path.suffix not in (".cpp", ".h"):
            continue
        for start, length in functions(lines):
            if length > FUNCTION_LINES:
                yield Finding(path, start, f"a function of {length} lines, at most {FUNCTION_LINES}")
        includes = [number for number, line in lines if line.startswith("#include")]
        if len(includes) > INCLUDES:
            yield Finding(path, includes[-1], f"{len(includes)} includes, at most {INCLUDES}")
