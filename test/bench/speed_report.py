# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What speed_vs_pytorch.sh measured, as one table: python speed_report.py WORK_FOLDER MODEL_FOLDER"""

import json
import pathlib
import re
import statistics
import sys

from measured_run import step_seconds

SKIPPED = 2  # steps that warm caches


def step_flops(model):
    """Multiply-adds count twice; the backward pass is two forward passes; attention is counted square."""
    config = json.loads((model / "config.json").read_text())
    training = json.loads((model / "training.json").read_text())
    width, length = config["n_embd"], training["sequence"]
    weights = config["n_layer"] * 12 * width**2 + config["vocab_size"] * width
    attention = config["n_layer"] * 2 * length * width
    return 6 * training["global_batch"] * length * (weights + attention)


def rate_of(text):
    """'105GFLOP/s' as a number"""
    number, prefix = re.fullmatch(r"([0-9.]+)\s*([kMGT]?)FLOP/s", text).groups()
    return float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[prefix]


def show(name, medians):
    median = statistics.median(medians)
    print(f"{name:<12} {median * 1e3:8.1f} ms a step   [{min(medians) * 1e3:.1f} to {max(medians) * 1e3:.1f}, "
          f"{len(medians)} rounds]")
    return median


def main():
    work, model = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    torch = [statistics.median(map(float, path.read_text().split())) for path in sorted(work.glob("torch.*"))]
    own = []
    for path in sorted(work.glob("metrics.*")):
        own.append(statistics.median(step_seconds(path)[SKIPPED:]))
    ratios = [theirs / ours for theirs, ours in zip(torch, own)]
    theirs, ours = show("PyTorch", torch), show("Windlass", own)
    print(f"{'ratio':<12} {theirs / ours:8.2f} times as fast  [{min(ratios):.2f} to {max(ratios):.2f}]")
    core = rate_of(json.loads((work / "machine.json").read_text())["measured"]["device.flops.f32"])
    threads = json.loads((model / "training.json").read_text())["threads_per_rank"]
    roofline = step_flops(model) / (core * threads)
    print(f"{'roofline':<12} {roofline * 1e3:8.1f} ms a step: {step_flops(model) / 1e9:.1f} GFLOP in fp32 at the "
          f"probed {core / 1e9:.0f} GFLOP/s a core, {threads} cores; Windlass runs at {roofline / ours:.0%} of it")


if __name__ == "__main__":
    main()
