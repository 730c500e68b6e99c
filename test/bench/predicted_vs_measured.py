#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what a plan's simulation says of each kind of instruction with what a run of it took.

    predicted_vs_measured.py BIN PLAN HARDWARE [--data WHAT] [--steps N] [--by name|kernel|lane]

Runs PLAN for N steps (default 12) and joins the timeline of the last one with the simulated one, instruction by
instruction. Compared are seconds of a core (`tdur` of both timelines), summed over ranks: what a lane's thread and the
helpers of its launches (`threads_per_rank`) worked, which other programs on the machine hardly change, and what the cost
model counts. Beside it stand the wall times.
What no instruction's thread did (waking, waiting, the disk's requests, the training loop) is the rest of the process's
time, from its user and system seconds.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import tempfile


def events(path):
    found = {}
    for event in json.loads(pathlib.Path(path).read_text())["traceEvents"]:
        if event["ph"] == "X":
            args = event["args"]
            found.setdefault((args["section"], args["micro_batch"], args["instruction"]), []).append(event)
    return found


def processor_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def kind_of(instruction, plan, event, by):
    if by == "lane":
        return instruction["lane"]
    if event["cat"] != "launch":
        return event["cat"]
    kernel = plan["kernels"][instruction["kernel"]]
    return f"{kernel['description']} ({kernel['symbol']})" if by == "kernel" else kernel["description"].split()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("hardware", type=pathlib.Path)
    parser.add_argument("--data", default="synthetic")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--executor", default="concurrent")
    parser.add_argument("--by", choices=("name", "kernel", "lane"), default="name")
    options = parser.parse_args()
    tools, plan_folder = options.bin.resolve(), options.plan.resolve()
    plan = json.loads((plan_folder / "plan.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tools / "windlass-dump", plan_folder, "--trace", f"{folder}/planned.json", "--hardware",
                        options.hardware.resolve()], check=True)

        def run(steps, trace):
            return processor_seconds([tools / "windlass-run", plan_folder, "--data", options.data, "--steps", str(steps),
                                      "--resume", "off", "--executor", options.executor, "--checkpoint-every", "0",
                                      "--quiet", "--trace", trace], folder)

        start = run(1, "one.json")
        step = (run(1 + options.steps, "measured.json") - start) / options.steps
        planned, measured = events(f"{folder}/planned.json"), events(f"{folder}/measured.json")
    sections = {section["name"]: section["instructions"] for section in plan["programs"][0]["sections"]}
    ranks = max(len(found) for found in measured.values())
    rows = collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0, 0.0])
    for key, found in measured.items():
        kind = kind_of(sections[key[0]][key[2]], plan, found[0], options.by)
        row, simulated = rows[kind], planned[key][0]
        row[0] += len(found)
        row[1] += ranks * simulated.get("tdur", 0)
        row[2] += sum(event.get("tdur", 0) for event in found)
        row[3] += ranks * simulated["dur"]
        row[4] += sum(event["dur"] for event in found)
    print(f"{'kind':44} {'count':>6} {'core ms':>9} {'measured':>9} {'ratio':>6}   {'wall ms':>9} {'measured':>9}")
    total = [0.0] * 5
    for kind, row in sorted(rows.items(), key=lambda item: -item[1][2]):
        total = [a + b for a, b in zip(total, row)]
        ratio = f"{row[2] / row[1]:6.2f}" if row[1] else f"{'':6}"
        print(f"{kind:44} {row[0]:6} {row[1] / 1e3:9.2f} {row[2] / 1e3:9.2f} {ratio}   {row[3] / 1e3:9.2f} {row[4] / 1e3:9.2f}")
    print(f"{'all instructions':44} {total[0]:6.0f} {total[1] / 1e3:9.2f} {total[2] / 1e3:9.2f} {total[2] / total[1]:6.2f}")
    print(f"{'a step of the process':44} {'':6} {'':9} {step * 1e3:9.2f}")
    ends = [max(event["ts"] + event["dur"] for found in side.values() for event in found) for side in (planned, measured)]
    print(f"{'a step, wall':44} {'':6} {ends[0] / 1e3:9.2f} {ends[1] / 1e3:9.2f} {ends[1] / ends[0]:6.2f}   on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
