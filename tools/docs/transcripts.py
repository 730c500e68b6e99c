#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a page's ```console blocks and compares, or with --write replaces, what they print.

A line that starts with "$ " is a command (a trailing backslash continues it); the lines up to the next one are
what it prints on stdout. Commands run in order in one fresh folder in which `examples` and `test` are the
repository's; what they write is gone afterwards. A command that fails ends the run.
"""

import argparse
import difflib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", flags=re.M | re.S)
COMMAND = re.compile(r"^\$ (?:.*\\\n)*.*\n", flags=re.M)


def has_avx2() -> bool:
    """The pages show plans for x86-64-v3, and run them: what is printed is the same on every processor that can."""
    return platform.machine() == "x86_64" and "avx2" in pathlib.Path("/proc/cpuinfo").read_text()


def replay(page: str, folder: str, path: str) -> str:
    environment = dict(os.environ, PATH=path + os.pathsep + os.environ["PATH"], LC_ALL="C")

    def run(block: re.Match) -> str:
        text = ""
        for command in COMMAND.findall(block[0]):
            shown = subprocess.run(["bash", "-c", command[2:]], cwd=folder, env=environment,
                                   capture_output=True, text=True)
            if shown.returncode != 0:
                sys.exit(f"{command}ended with exit code {shown.returncode}\n{shown.stderr}")
            lines = [line.rstrip() + "\n" for line in shown.stdout.splitlines()]
            text += command + "".join(lines)
        return text

    return BLOCK.sub(run, page)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the repository's root")
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--write", action="store_true", help="replace what is shown by what is printed now")
    parser.add_argument("pages", nargs="+", help="pages, relative to the root")
    options = parser.parse_args()
    if not has_avx2():
        print("skipped: the pages show plans for x86-64-v3")
        return SKIPPED
    stale = False
    for name in options.pages:
        page = options.source / name
        old = page.read_text()
        with tempfile.TemporaryDirectory(prefix="windlass-docs-") as folder:
            for shared in ("examples", "test"):
                os.symlink((options.source / shared).resolve(), os.path.join(folder, shared))
            fresh = replay(old, folder, os.path.abspath(options.bin))
        if options.write:
            page.write_text(fresh)
        elif fresh != old:
            stale = True
            print("\n".join(difflib.unified_diff(old.splitlines(), fresh.splitlines(), name, "as printed", lineterm="")))
            print(f"{name}: stale, run: ninja docs")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
