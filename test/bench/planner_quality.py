# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How good are plans, by the compiler's own clock? python planner_quality.py [BIN_FOLDER] [--only WORD]

For each training below one table row, of the plan on its hardware file and the simulated step:

  placement   how far the homes of states can be from the best ones: the solver's gap, or "proven"
  recompute   how far the seconds repeated can be from the fewest for the bytes kept, or what is repeated instead
  packing     planned bytes over the most that live at once (a lower bound), in the tier where that is worst
  hidden      share of the seconds of all transfers that lie under computation of the device
  step        the step over its busiest lane: 1.00 is as good as any order can be

and what single ideas are worth: the step without overlap, with one transfer ahead, with owners that broadcast
(stage 3), with sums of gradients that go to all ranks (stage 1), with every layer repeated, with what layers then
keep on the host, and with micro-batches that take turns, each over the step as planned. A refusal is shown as such.
Nothing is trained; asserts nothing. Without BIN_FOLDER the tools are those on the path.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

import compile_scale

HERE = pathlib.Path(__file__).parent
BYTES = HERE.parents[1] / "examples" / "gpt2-bytes"
ABLATIONS = {"overlap off": ["--overlap", "off"], "prefetch 1": ["--prefetch", "1"],
             "broadcast": ["--gather", "broadcast"], "reduce all": ["--reduce", "all"],
             "repeat all": ["--recompute", "full"], "kept away": ["--offload-checkpoints", "host"],
             "in turn": ["--micro-batch-order", "vertical"]}
STAGE = {"broadcast": 3, "reduce all": 1}  # an idea of one stage alone
DEVICE = "compute"
TRANSFERS = ("gg", "cg_in", "cg_out", "nc_in", "nc_out")


def trainings(work):
    """Name, model folder, hardware file, options."""
    yield "quickstart", BYTES, BYTES / "machine.json", []
    for strategy in ("zero-1", "zero-2", "zero-3", "zero-offload", "zero-3-offload", "zero-infinity-cpu", "zero-infinity-nvme"):
        yield strategy, BYTES, BYTES / "four-links.json", ["--strategy", strategy]
    yield "gpt2-small", HERE / "gpt2-small", HERE / "gpt2-small" / "machine.json", []
    yield "gpt2-124m", HERE / "gpt2-124m", HERE / "gpt2-124m" / "machine.json", []
    for layers in (12, 48):
        folder = work / f"{layers}-layers"
        folder.mkdir()
        compile_scale.write_inputs(folder, layers)
        yield folder.name, folder, folder / "machine.json", []


def union(intervals):
    """Disjoint intervals, in order."""
    merged = []
    for begin, end in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def overlap(intervals, others):
    """Seconds of `intervals`, each for itself, that lie in the disjoint `others`."""
    return sum(max(0, min(end, b) - max(begin, a)) for begin, end in intervals for a, b in others)


class Step:
    """One simulated step, by lane."""

    def __init__(self, trace):
        events = json.loads(trace.read_text())["traceEvents"]
        names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
        self.lanes = {name: [] for name in names.values()}
        for event in events:
            if event["ph"] == "X":
                self.lanes[names[event["tid"]]].append((event["ts"], event["ts"] + event["dur"]))
        every = [interval for lane in self.lanes.values() for interval in lane]
        self.seconds = (max(end for _, end in every) - min(begin for begin, _ in every)) / 1e6

    def over_busiest(self):
        busy = max(sum(end - begin for begin, end in union(lane)) for lane in self.lanes.values())
        return self.seconds * 1e6 / busy

    def hidden(self):
        moved = [interval for name in TRANSFERS for interval in self.lanes[name] if interval[1] > interval[0]]
        total = sum(end - begin for begin, end in moved)
        return overlap(moved, union(self.lanes[DEVICE])) / total if total else 1.0


def compiled(bin_folder, work, model, hardware, options):
    """The plan's folder and its step, or nothing where the machine cannot hold it."""
    plan, trace = work / "plan", work / "trace.json"
    done = subprocess.run([bin_folder / "windlass-compile", model, "--training", model / "training.json", "--hardware",
                           hardware, "--target-cpu", "x86-64-v3", "-o", plan, "--quiet", *options], capture_output=True, text=True)
    if done.returncode == 3:
        return None, None
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    subprocess.run([bin_folder / "windlass-dump", plan, "--trace", trace, "--hardware", hardware], check=True,
                   capture_output=True)
    return json.loads((plan / "plan.json").read_text()), Step(trace)


def reason_of(plan, decision):
    """The record of a decision about the whole model; empty where there is none."""
    return next((why for why in plan["reasons"] if why["decision"] == decision and "subject" not in why), {})


def gap_of(record):
    gap = dict(record.get("figures", [])).get("gap")
    return "given" if gap is None else f"{100 * gap:.2g} %" if gap else "proven"


def placement_gap(plan):
    return gap_of(reason_of(plan, "placement"))


def recompute_gap(plan):
    taken = json.loads(plan["strategy"])["recompute"]
    if isinstance(taken, str):
        return taken
    trials = reason_of(plan, "recompute").get("trials", [])
    return gap_of(next((trial for trial in trials if trial["outcome"] == "taken"), {}))


def packing(plan):
    return max((arena["bytes"] / arena["lower_bound"], arena["tier"]) for arena in plan["programs"][0]["arenas"] if arena["bytes"])


def worth(bin_folder, work, model, hardware, options, plan, step, ablation):
    """The step with one idea given up, over the step as planned."""
    if STAGE.get(ablation, stage := json.loads(plan["strategy"])["zero_stage"]) != stage:
        return "-"
    _, other = compiled(bin_folder, work, model, hardware, options)
    return f"{other.seconds / step.seconds:.3f}" if other else "no room"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, nargs="?", default=pathlib.Path(shutil.which("windlass-compile") or ".").parent)
    parser.add_argument("--only", default="", help="trainings whose name has this word")
    options = parser.parse_args()
    columns = "".join(f"{name:>12}" for name in ABLATIONS)
    print(f"{'training':<19}{'placement':>10}{'recompute':>10}{'packing':>14}{'hidden':>8}{'step':>16}{columns}")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for title, model, hardware, given in trainings(work):
            if options.only not in title:
                continue
            plan, step = compiled(options.bin, work, model, hardware, given)
            worst, tier = packing(plan)
            row = (f"{title:<19}{placement_gap(plan):>10}{recompute_gap(plan):>10}{f'{worst:.3f} {tier}':>14}{step.hidden():>8.0%}"
                   f"{f'{step.seconds * 1e3:.1f} ms {step.over_busiest():.2f}':>16}")
            for ablation, extra in ABLATIONS.items():
                row += f"{worth(options.bin, work, model, hardware, [*given, *extra], plan, step, ablation):>12}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
