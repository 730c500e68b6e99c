# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which assembler of PTX tools/test.sh says it uses: on a PATH with one, an old one, none, and none to be fetched."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def ptxas(release):
    return f"echo 'Cuda compilation tools, release {release}, V{release}.1'"


def main():
    parser = argparse.ArgumentParser()
    for option in ("source", "folder"):
        parser.add_argument(f"--{option}", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    binaries, fetched = arguments.folder / "bin", arguments.folder / "fetched"

    def announced(wanted, expected):
        # What the toolkit installs beside the PATH is this machine's own, and no part of the test.
        script = (f"source tools/ptxas.sh; ptxas_elsewhere={arguments.folder}/none; install_packages() {{ :; }}; "
                  f"announce_ptxas {fetched} {wanted}; command -v ptxas")
        ran = subprocess.run(["bash", "-euc", script], cwd=arguments.source, capture_output=True, text=True,
                             env={**os.environ, "PATH": f"{binaries}:/usr/bin:/bin"})
        if expected not in ran.stdout:
            sys.exit(f"error: not '{expected}', but '{ran.stdout}{ran.stderr}'")
        return ran.stdout

    executable(binaries / "python3", 'echo "ERROR: no matching distribution" >&2; exit 1')
    announced(0, "SKIP assembling PTX: of CUDA 12.0 or later there is none on the PATH; --with-ptxas fetches one")
    announced(1, "could not be fetched: ERROR: no matching distribution")
    executable(binaries / "ptxas", ptxas("11.8"))
    announced(0, "SKIP assembling PTX: of CUDA 12.0 or later there is one of CUDA 11.8 on the PATH")
    executable(binaries / "ptxas", ptxas("12.0"))
    announced(0, f"PTX is assembled by {binaries}/ptxas of CUDA 12.0\n")
    # What is installed serves where nothing can be fetched, which is said.
    announced(1, "of CUDA 12.0 (nvidia-cuda-nvcc")

    pinned = fetched / "nvidia/cu13/bin/ptxas"
    executable(binaries / "python3", f"mkdir -p {pinned.parent}; touch {pinned.parent}/nvdisasm; "
               f"echo \"{ptxas('13.1')}\" >{pinned}; "
               '[ 2 = "$(grep -c -- "--hash=sha256:" "$(echo "$@" | sed "s/.*--requirement //; s/ .*//")")" ]')
    said = announced(1, f"PTX is assembled by {pinned} of CUDA 13.1\n")
    if said.splitlines()[-1] != str(pinned):
        sys.exit(f"error: tests find another one: {said}")
    executable(binaries / "python3", "exit 1")  # and nothing is fetched twice
    announced(1, f"PTX is assembled by {pinned} of CUDA 13.1\n")


main()
