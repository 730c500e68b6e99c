# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it costs to train from the disk: python nvme_vs_memory.py BIN_FOLDER NVME_FOLDER [--rounds 5] [--steps 8]

test/bench/gpt2-small (GPT-2 of 4 layers, hidden 256, sequence 256, batch 8, vocabulary 8192; one rank) with every
state in the device arena, and with every state on NVMe and only what is at work in memory, in turn, round after
round, on the machine as probed. Prints the medians over rounds of a run's median step, the limit of each (its
busiest lane at the probed rates) and the ratio; asserts nothing.
"""

import argparse
import pathlib
import statistics
import tempfile

from measured_run import busiest_lane, run, step_seconds

MODEL = pathlib.Path(__file__).parent / "gpt2-small"
SKIPPED = 2  # steps that warm caches
KINDS = {"in memory": "zero-2", "on NVMe": "zero-infinity-nvme"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        machine, limits, steps = work / "machine.json", {}, {kind: [] for kind in KINDS}
        run([options.bin / "windlass-probe", "--quick", "--onto", MODEL / "machine.json", "--nvme-folder",
             options.folder, "-o", machine])
        for kind, strategy in KINDS.items():
            text = run([options.bin / "windlass-compile", MODEL, "--training", MODEL / "training.json", "--hardware",
                        machine, "--strategy", strategy, "-o", work / strategy]).output
            limits[kind] = busiest_lane(text)
        for _ in range(options.rounds):
            for kind, strategy in KINDS.items():
                run([options.bin / "windlass-run", work / strategy, "--data", "synthetic", "--steps", options.steps,
                     "--resume", "off", "--quiet", "--out", work / "out", "--checkpoint-every", 0, "--nvme-folder",
                     options.folder, "--metrics", work / "metrics"])
                steps[kind].append(statistics.median(step_seconds(work / "metrics")[SKIPPED:]))
    for kind, medians in steps.items():
        limit, lane = limits[kind]
        print(f"{kind:<12} {statistics.median(medians) * 1e3:8.1f} ms a step   [{min(medians) * 1e3:.1f} to "
              f"{max(medians) * 1e3:.1f}, {len(medians)} rounds]   limit {limit * 1e3:.1f} ms ({lane})")
    ratios = [disk / memory for memory, disk in zip(*steps.values())]
    print(f"{'ratio':<12} {statistics.median(ratios):8.2f} times as long  [{min(ratios):.2f} to {max(ratios):.2f}]")


if __name__ == "__main__":
    main()
