#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/passes.md from the *Passes.td of every level; with --check, says whether it is stale.

The words come from mlir-tblgen, the order is that of the .td, and every pass is linked to the test
of the same name, which is its example.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys

LEVELS = ["Graph", "Dist", "Flow", "Plan"]

INTRODUCTION = """\
<!-- Written by tools/docs/passes.py from passes/*/*Passes.td (ninja docs). Do not edit. -->
# The passes

Every pass stands in `passes/<Level>/` as one file, has one name, and one test of that name under `test/passes/`. The
test is the example: it shows the IR before and, in its `CHECK` lines, after. Any of them runs alone:

```
windlass-opt --lower-to-flow in.mlir
windlass-opt --pass-pipeline='builtin.module(partition{ranks=4 zero=3},form-kernels)' in.mlir
```

`windlass-compile --dump-phases FOLDER` writes the IR that stands between the levels, ready for `windlass-opt`. What
those levels promise each other is in [architecture.md](architecture.md).
"""


def run_tblgen(tblgen: str, include: str, definitions: pathlib.Path) -> str:
    command = [tblgen, "--gen-pass-doc", "-I", include, str(definitions)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sections_by_flag(text: str) -> dict[str, str]:
    """What tblgen wrote of each pass, by its flag."""
    parts = re.split(r"^### `-([a-z0-9-]+)`\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def pipelines(source: pathlib.Path) -> list[tuple[str, str]]:
    found = []
    for file in sorted(source.glob("passes/**/*.cpp")):
        found += re.findall(r'PassPipelineRegistration<\w*>\(\s*"([^"]+)",\s*"([^"]+)"', file.read_text())
    return found


def list_options(block: re.Match) -> str:
    return "Options:\n\n" + re.sub(r"^-(\S+) *: ", r"- `\1`: ", block[1], flags=re.M)


def describe_level(source: pathlib.Path, level: str, tblgen: str, include: str) -> str:
    text = f"\n## {level.lower()}\n"
    for definitions in sorted((source / "passes" / level).glob("*Passes.td")):
        written = sections_by_flag(run_tblgen(tblgen, include, definitions))
        for flag in re.findall(r'^def \w+ : Pass<"([^"]+)"', definitions.read_text(), flags=re.M):
            body = re.sub(r"^Example: \S+\n", "", written[flag], flags=re.M).strip()
            body = re.sub(r"#### Options\n\n```\n(.*?)```", list_options, body, flags=re.S)
            text += f"\n### {flag}\n\n{body}\n\nExample: [{flag}.mlir](../test/passes/{level}/{flag}.mlir)\n"
    return text


def generate(source: pathlib.Path, tblgen: str, include: str) -> str:
    text = INTRODUCTION
    named = pipelines(source)
    if named:
        text += "\nNamed pipelines, which tools and tests share:\n\n| name | what it does |\n| --- | --- |\n"
        text += "".join(f"| `{name}` | {summary} |\n" for name, summary in named)
    for level in LEVELS:
        text += describe_level(source, level, tblgen, include)
    return re.sub(r"\n{3,}", "\n\n", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the repository's root")
    parser.add_argument("--tblgen", required=True, help="path of mlir-tblgen")
    parser.add_argument("--include", required=True, help="MLIR's include folder")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the page is stale")
    options = parser.parse_args()
    page = options.source / "docs" / "passes.md"
    fresh = generate(options.source, options.tblgen, options.include)
    if not options.check:
        page.write_text(fresh)
        return 0
    old = page.read_text() if page.exists() else ""
    difference = list(difflib.unified_diff(old.splitlines(), fresh.splitlines(), str(page), "as generated", lineterm=""))
    if difference:
        print("\n".join(difference))
        print(f"{page}: stale, run: ninja docs")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
