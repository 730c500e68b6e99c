# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every C++ file looks as .clang-format says, to the version of clang-format that the packages bring."""

import pathlib
import re
import shutil
import subprocess

from source_tree import Finding

PROGRAM = "clang-format-22"
COMPLAINT = re.compile(r"^(.+):(\d+):\d+: error: ")


def check(tree):
    if not shutil.which(PROGRAM):
        yield Finding(pathlib.PurePath(".clang-format"), 1, f"{PROGRAM} is not installed (tools/packages.sh)")
        return
    files = [str(path) for path in tree.files(".cpp", ".h", ".c")]
    if not files:
        return
    run = subprocess.run([PROGRAM, "--dry-run", "--Werror", *files], cwd=tree.root, stderr=subprocess.PIPE, text=True)
    for line in run.stderr.splitlines():
        if complaint := COMPLAINT.match(line):
            yield Finding(pathlib.PurePath(complaint[1]), int(complaint[2]), f"not as {PROGRAM} -i leaves it")
