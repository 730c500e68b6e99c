# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the NVMe lane against fio at the same block size and depth, in turn, round after round.

    python nvme_vs_fio.py FOLDER [--build build/release] [--rounds 5] [--seconds 2] [--depth 4] [--mib 256]

FOLDER is on the disk that shall hold the NVMe tier. Windlass is measured by windlass-probe, which drives the
lane's own queue: 1 MiB blocks, O_DIRECT, io_uring, pinned huge pages. fio does the same over a file of the
same size, once into small pages and once into huge ones, for on many disks that is what decides reads.
The first pass of the probe writes where nothing was written yet, which file systems take longer for; with
--seconds well above the time of one pass that no longer shows. Prints medians and ranges; asserts nothing.
Needs fio (apt-get install fio).
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

BLOCK = 1 << 20
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
DIRECTIONS = ("write", "read")
COMPETITORS = ("Windlass", "fio", "fio, huge pages")


def output_of(command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=os.environ | environment)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def windlass(options, work):
    """Bytes per second by direction."""
    machine = {"format": "windlass.hardware/1", "ranks": 1,
               "device": {"capacity": "1MiB", "flops": {"f32": "1GFLOP/s"}, "bandwidth": "1GB/s"},
               "host": {"capacity": "64MiB", "bandwidth": "1GB/s"},
               "nvme": {"capacity": f"{options.mib}MiB", "read": "1GB/s", "write": "1GB/s", "depth": options.depth},
               "links": {"cg": {"in": "1GB/s", "out": "1GB/s"}, "gg": {"bandwidth": "1GB/s"}}}
    file = work / "machine.json"
    file.write_text(json.dumps(machine))
    quick = [] if options.seconds >= 2 else ["--quick"]
    text = output_of([options.build / "bin/windlass-probe", "--onto", file, "--nvme-folder", options.folder, *quick])
    found = re.findall(r"^nvme\.(read|write) +([\d.]+) ?([kMGT]?)B/s", text, re.M)
    return {direction: float(number) * UNITS[prefix] for direction, number, prefix in found}


def fio(options, direction, huge):
    tunables = "glibc.malloc.hugetlb=1" if huge else ""  # huge pages behind every large buffer, if there are any
    file = pathlib.Path(options.folder) / f"fio-{direction}.tmp"
    try:
        text = output_of(["fio", "--name=lane", f"--filename={file}", f"--size={options.mib}m", f"--bs={BLOCK}",
                          f"--iodepth={options.depth}", "--direct=1", "--ioengine=io_uring", "--fixedbufs=1",
                          "--fallocate=posix", "--overwrite=1", f"--rw={direction}", "--time_based",
                          f"--runtime={round(options.seconds * 1000)}ms", "--output-format=json"],
                         GLIBC_TUNABLES=tunables)
    finally:
        file.unlink(missing_ok=True)
    return json.loads(text[text.index("{"):])["jobs"][0][direction]["bw_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--mib", type=int, default=256)
    options = parser.parse_args()
    rates = {(name, direction): [] for name in COMPETITORS for direction in DIRECTIONS}
    with tempfile.TemporaryDirectory() as work:
        for _ in range(options.rounds):
            for direction, rate in windlass(options, pathlib.Path(work)).items():
                rates["Windlass", direction].append(rate)
            for direction in DIRECTIONS:
                rates["fio", direction].append(fio(options, direction, huge=False))
                rates["fio, huge pages", direction].append(fio(options, direction, huge=True))
    print(f"{options.mib} MiB in blocks of 1 MiB, depth {options.depth}, {options.rounds} rounds of "
          f"{options.seconds:g} s: median [range] in GB/s, and how many times fio's Windlass is")
    for direction in DIRECTIONS:
        ours = rates["Windlass", direction]
        for name in COMPETITORS:
            theirs = rates[name, direction]
            ratio = statistics.median(a / b for a, b in zip(ours, theirs))
            print(f"  {direction:<6} {name:<16} {statistics.median(theirs) / 1e9:6.2f} "
                  f"[{min(theirs) / 1e9:.2f} to {max(theirs) / 1e9:.2f}]"
                  + ("" if name == "Windlass" else f"  {ratio:.2f}"))


if __name__ == "__main__":
    main()
