#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what plans are predicted to take with what runs of them took.

    predicted_vs_measured.py BIN [--only WORD] [--steps N]
    predicted_vs_measured.py BIN PLAN HARDWARE [--data WHAT] [--steps N] [--by name|kernel|lane]

Without PLAN, the steps of the plans in prediction_cases.py: each is compiled for this machine as the probe finds it,
probed (`windlass-probe --plan`), compiled again with its kernels' times, and run; its prediction, which knows of no run,
stands beside the median of N steps (default 25). The load of the machine is told, since other work makes steps longer. At
the end: the median and the worst error, and of all pairs of plans whose steps differ by more than a tenth those of which
the prediction takes the slower for the faster.

With PLAN, what each kind of instruction takes. Runs PLAN for N steps (default 12) and joins the timeline of the last one
with the simulated one, instruction by instruction. Compared are seconds of a core (`tdur` of both timelines), summed over
ranks: what a lane's thread and the helpers of its launches (`threads_per_rank`) worked, which other programs on the machine
hardly change, and what the cost model counts. Beside it stand the wall times.
What no instruction's thread did (waking, waiting, the disk's requests, the training loop) is the rest of the process's
time, from its user and system seconds.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

import measured_run
from prediction_cases import CASES

CLEAR = 1.1  # of two plans, how much slower one is whose place among them must be right


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


def compare_kinds(options):
    tools, plan_folder = options.bin.resolve(), options.plan.resolve()
    plan = json.loads((plan_folder / "plan.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tools / "windlass-dump", plan_folder, "--trace", f"{folder}/planned.json", "--hardware",
                        options.hardware.resolve()], check=True)

        def run(steps, trace):
            return processor_seconds([tools / "windlass-run", plan_folder, "--data", options.data, "--steps", str(steps),
                                      "--resume", "off", "--executor", options.executor, "--checkpoint-every", "0",
                                      "--quiet", "--trace", trace], folder)

        start, steps = run(1, "one.json"), options.steps or 12
        step = (run(1 + steps, "measured.json") - start) / steps
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


def probe(tools, folder, *what):
    measured_run.run([tools / "windlass-probe", "--quick", "--nvme-folder", folder, *what, "-o", folder / "probed.json"])


def measure(tools, case, steps, folder):
    """(predicted by rates alone, predicted, measured) seconds of a step."""
    case.write(folder)
    training = ["--training", folder / "training.json"]
    declared = ["--onto", folder / "declared.json"]
    threads = str(json.loads((folder / "training.json").read_text()).get("threads_per_rank", 1))
    plan = folder / "case.plan"

    def predicted():
        measured_run.run([tools / "windlass-compile", case.model, *training, "--hardware", folder / "probed.json", "--quiet",
                          *case.options, "-o", plan])
        return json.loads((plan / "plan.json").read_text())["prediction"]["step_seconds"]

    probe(tools, folder, *declared, "--threads-per-rank", threads)
    by_rates = predicted()
    probe(tools, folder, *declared, "--plan", plan)
    by_kernels = predicted()
    measured_run.run([tools / "windlass-run", plan, "--data", "synthetic", "--steps", str(steps), "--resume", "off", "--quiet",
                      "--checkpoint-every", "0", "--out", folder / "run"])
    taken = measured_run.step_seconds(folder / "run/metrics.jsonl")
    return by_rates, by_kernels, statistics.median(taken[len(taken) // 10:])


def clear_pairs(rows):
    """(row of the slower plan, row of the faster one) of all pairs whose measured steps differ clearly."""
    return [(slow, fast) for slow in rows for fast in rows if slow[3] > CLEAR * fast[3]]


def compare_steps(options):
    rows, steps = [], options.steps or 25
    print(f"{'plan':38} {'by rates':>10} {'predicted':>10} {'measured':>10} {'error':>7}   load", flush=True)
    for case in (case for case in CASES if options.only in case.name):
        with tempfile.TemporaryDirectory() as folder:
            by_rates, by_kernels, taken = measure(options.bin.resolve(), case, steps, pathlib.Path(folder))
        rows.append((case.name, by_rates, by_kernels, taken))
        print(f"{case.name:38} {by_rates * 1e3:7.2f} ms {by_kernels * 1e3:7.2f} ms {taken * 1e3:7.2f} ms "
              f"{100 * (by_kernels / taken - 1):+6.1f}%   {os.getloadavg()[0]:.2f}", flush=True)
    errors = [abs(by_kernels / taken - 1) for _, _, by_kernels, taken in rows]
    print(f"error of {len(rows)} predictions: median {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %, "
          f"on {os.cpu_count()} cores")
    pairs = clear_pairs(rows)
    misjudged = [(slow[0], fast[0]) for slow, fast in pairs if slow[2] < fast[2]]
    for slow, fast in misjudged:
        print(f"misjudged: {slow} is slower than {fast}")
    print(f"{len(pairs)} pairs differ by over {100 * CLEAR - 100:.0f} %: the faster is named right of {len(pairs) - len(misjudged)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("plan", type=pathlib.Path, nargs="?")
    parser.add_argument("hardware", type=pathlib.Path, nargs="?")
    parser.add_argument("--only", default="", help="those plans alone whose names have this word")
    parser.add_argument("--data", default="synthetic")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--executor", default="concurrent")
    parser.add_argument("--by", choices=("name", "kernel", "lane"), default="name")
    options = parser.parse_args()
    if options.plan and not options.hardware:
        parser.error("a PLAN needs the HARDWARE that it is simulated on")
    (compare_kinds if options.plan else compare_steps)(options)


if __name__ == "__main__":
    main()
