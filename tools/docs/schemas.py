#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/schema/*.schema.json as windlass-compile prints them, or says which is not current.

    schemas.py --source SOURCE --bin BUILD/bin [--check]
"""

import argparse
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = []
    for name in ("model", "training", "hardware"):
        path = options.source / "docs" / "schema" / f"{name}.schema.json"
        text = subprocess.run([options.bin / "windlass-compile", "--print-schema", name], check=True,
                              capture_output=True, text=True).stdout
        if options.check:
            if not path.is_file() or path.read_text() != text:
                stale.append(path.relative_to(options.source))
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for path in stale:
        print(f"{path}: not what windlass-compile --print-schema prints; run `ninja docs`")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
