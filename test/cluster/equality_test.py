#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses, states and exports of several processes are those of one, to the last byte.

    equality_test.py TOOLS FOLDER [MPIRUN]
"""

import functools
import json
import shutil
import sys

from job import Workshop, expect, same, side_by_side

# Links so slow that a transfer takes longer than what computes beside it, however busy the machine is.
PACE = "nc_in=200KB/s,cg_in=2MB/s"

# What differs from one plan to the other: how states are cut, and where their bytes rest.
PLANS = {
    "stage0": {"training": {"zero_stage": 0}},
    "stage2": {"training": {"zero_stage": 2, "precision": {"compute": "bf16"}}},
    "owners": {"training": {"zero_stage": 3, "gather": "broadcast"}},
    "groups": {"training": {"zero_stage": 3, "parallel": {"shard": 2, "optimizer_shard": "all"}}},
    "stages": {"training": {"zero_stage": 1, "parallel": {"data": 2, "pipeline": 2}}},
    "tensor": {"training": {"zero_stage": 1, "parallel": {"data": 2, "tensor": 2}}},
    "mesh": {"training": {"zero_stage": 1, "parallel": {"data": 1, "tensor": 2, "pipeline": 2}}},
    "disk": {"training": {"zero_stage": 3, "placement": {"param": "host", "moments": "nvme"}}},
}


def equal_to_one_process(shop, name):
    """Over TCP and MPI, one rank a process and two; and what else is asked of a plan."""
    plan = shop.compile(name, **PLANS[name])
    ways = [("tcp2", ["--ranks", 2], 0), ("tcp4", ["--ranks", 4], 0)]
    if shop.mpirun:  # by itself it leaves to MPI what goes between hosts
        ways += [("mpi4", ["--network", "mpi"], 4)] if name != "stage0" else [("mpi2", [], 2)]
    alone = f"{name}-alone"
    shop.train(plan, alone, "--steps", 3)
    for way, flags, mpi in ways:
        shop.train(plan, f"{name}-{way}", "--steps", 3, *flags, mpi=mpi)
        same(shop, alone, f"{name}-{way}", 3)
        print(f"{name}: {way} is one process's, to the last byte")
    if name in ALSO:
        ALSO[name](shop, plan)


def resumes_with_other_numbers(shop, plan):
    """Four processes, then one, then two, over MPI where there is one: as if nothing had been."""
    shop.train(plan, "undisturbed", "--steps", 6)
    shop.train(plan, "disturbed", "--steps", 2, "--ranks", 4)
    shop.train(plan, "disturbed", "--steps", 4)
    if shop.mpirun:
        shop.train(plan, "disturbed", "--steps", 5, mpi=2)
    shop.train(plan, "disturbed", "--steps", 6, "--ranks", 2)
    same(shop, "undisturbed", "disturbed", 6, "val_loss")  # each run validates at its end
    print("resumed with 4, 1 and 2 processes, over TCP and MPI: as undisturbed")


def resumes_with_other_ranks(shop):
    """Two ranks, then four, each in a process of its own, over TCP and MPI: as in one process."""
    plans = [(shop.compile(f"{ranks}-ranks", training={"zero_stage": 2, "parallel": {"data": ranks}},
                           machine={"ranks": ranks}), ranks) for ranks in (2, 4)]
    for way in ("together", "apart") + (("apart-mpi",) if shop.mpirun else ()):
        for (plan, ranks), steps in zip(plans, (2, 4)):
            flags = ["--ranks", ranks] if way == "apart" else []
            shop.train(plan, f"ranks-{way}", "--steps", steps, *flags, mpi=ranks if way == "apart-mpi" else 0)
        same(shop, "ranks-together", f"ranks-{way}", 4)
    print("resumed with 4 ranks in place of 2, over TCP and MPI: as in one process")


def exports_and_samples(shop, plan):
    """What is written and said once."""
    said = {}
    for way, flags in {"alone": [], "ranks": ["--ranks", 4]}.items():
        out = shop.folder / f"exported-{way}"
        said[way] = shop.train(plan, out.name, "--steps", 2, "--checkpoint-format", "sharded", "--export",
                               out.with_suffix(".weights"), "--dump-gradients", out.with_suffix(".gradients"),
                               "--sample", "1 and", "--sample-tokens", 8, *flags)
    expect(said["alone"] == said["ranks"], f"samples differ: {said}")
    for kind in ("weights", "gradients"):
        files = [(shop.folder / f"exported-{way}.{kind}").read_bytes() for way in said]
        expect(files[0] == files[1], f"{kind} differ")
    same(shop, "exported-alone", "exported-ranks", 2)
    print("exports, gradients, shards and samples are one process's")


ALSO = {"disk": resumes_with_other_numbers, "owners": exports_and_samples}


def events_of(trace):
    """Per rank, lane and the beginning and end of each instruction, and which they are."""
    events = json.loads(trace.read_text())["traceEvents"]
    lanes = {(event["pid"], event["tid"]): event["args"]["name"]
             for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    ranks = {}
    for event in (event for event in events if event["ph"] == "X"):
        said = event["args"]
        ranks.setdefault(event["pid"], []).append({
            "lane": lanes[event["pid"], event["tid"]].split(" ")[0], "start": event["ts"],
            "end": event["ts"] + event["dur"],
            "which": (event["name"], said["section"], said["micro_batch"], said["instruction"])})
    return ranks


def hidden_fetches(events):
    """How many fetches an instruction begins and ends under."""
    fetches = [event for event in events if event["lane"] in ("nc_in", "cg_in")]
    computed = [event for event in events if event["lane"] == "compute"]
    return sum(any(fetch["start"] < event["start"] and event["end"] < fetch["end"] for event in computed)
               for fetch in fetches)


def traces_and_overlap(shop):
    """One trace, of all ranks; and processes fetch ahead as one process does: what their plan says."""
    hidden = {}
    for overlap in (True, False):
        plan = shop.compile(f"overlap-{overlap}", training={**PLANS["disk"]["training"], "overlap": overlap})
        traces = {}
        for way, flags in {"alone": [], "ranks": ["--ranks", 4]}.items():
            out = f"overlap-{overlap}-{way}"
            trace = shop.folder / f"{out}.trace"
            shop.train(plan, out, "--steps", 2, "--pace", PACE, "--trace", trace, *flags)
            traces[way] = events_of(trace)
        ran = {way: {rank: sorted(event["which"] for event in events) for rank, events in traces[way].items()}
               for way in traces}
        expect(sorted(ran["ranks"]) == [0, 1, 2, 3], f"a trace of ranks {sorted(ran['ranks'])}")
        expect(ran["alone"] == ran["ranks"], "traces of one process and of four tell of other instructions")
        hidden[overlap] = [hidden_fetches(events) for _, events in sorted(traces["ranks"].items())]
    expect(all(ahead > in_turn for ahead, in_turn in zip(hidden[True], hidden[False])),
           f"fetches that computation runs under, of each rank: {hidden[True]}; without overlap {hidden[False]}")
    print(f"the trace has all ranks; fetches under computation: {hidden[True]}, without overlap {hidden[False]}")


def main():
    tools, folder, mpirun = sys.argv[1], sys.argv[2], (sys.argv + [None])[3]
    shop = Workshop(tools, folder, mpirun)
    if not mpirun:
        print("skipped: no mpirun, so nothing runs over MPI here")
    side_by_side([functools.partial(traces_and_overlap, shop), functools.partial(resumes_with_other_ranks, shop),
                  *(functools.partial(equal_to_one_process, shop, name) for name in PLANS)])
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
