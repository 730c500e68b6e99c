# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains ever wider layers on a device that holds none of them whole (ZeRO-Infinity's Fig. 6b in small).

    python tiling.py [--build build/release] [--work FOLDER] [--device 8MiB] [--tile 1MiB] [--steps 5]

A GPT-2 of one layer over bytes, of hidden size 64 and 8, 16 and 32 times that. For each: what windlass-compile says
without tiles; then with `tile.limit`, the number of tiles of the MLP's matrices, the device memory planned, and the
median time of a step beside that of the same model without tiles on a device with room for it. All states rest on the
host in both, so that the difference is what tiles cost. The first losses must agree. Last, the largest hidden size
that needs no tiles on that device.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

HIDDEN, FACTORS, RANKS = 64, (1, 8, 16, 32), 2


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def run(*command):
    done = subprocess.run([f"{part}" for part in command], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def files(work, hidden, device, tile):
    """Model, training and hardware file of one row."""
    work.mkdir(parents=True, exist_ok=True)
    model = {"model_type": "gpt2", "n_layer": 1, "n_embd": hidden, "n_head": 4, "n_positions": 32, "vocab_size": 256,
             "embd_pdrop": 0, "attn_pdrop": 0, "resid_pdrop": 0}
    training = {"format": "windlass.training/1", "global_batch": RANKS, "parallel": {"data": RANKS}, "steps": 100,
                "optimizer": {"learning_rate": 1e-4}, "zero_stage": 3, "recompute": "full",
                "placement": {"param": "host", "grad": "host", "moments": "host"}}
    if tile:
        training["tile"] = {"limit": tile}
    hardware = {"format": "windlass.hardware/1", "name": "a small device", "ranks": RANKS,
                "device": {"capacity": device, "flops": {"f32": "50GFLOP/s"}, "bandwidth": "10GB/s"},
                "host": {"capacity": "4GiB", "bandwidth": "10GB/s"},
                "links": {"cg": {"in": "10GB/s", "out": "10GB/s"}, "gg": {"bandwidth": "10GB/s"}}, "shared_cores": 2}
    return (write(work / "config.json", model), "--training", write(work / "training.json", training), "--hardware",
            write(work / "machine.json", hardware))


def compiled(tools, work, inputs):
    """The plan, or why there is none."""
    code, _, errors = run(tools / "windlass-compile", *inputs, "-q", "-o", work / "plan")
    return (None, errors) if code else (json.loads((work / "plan/plan.json").read_text()), "")


def trained(tools, work, inputs, steps):
    """The plan, the losses, and the median of the seconds of the steps behind the first."""
    plan, errors = compiled(tools, work, inputs)
    if not plan:
        sys.exit(f"error: {work}: {errors}")
    code, _, errors = run(tools / "windlass-run", work / "plan", "--data", "synthetic:1", "--steps", steps, "--out",
                          work / "out", "--resume", "off", "--quiet")
    if code:
        sys.exit(f"error: {work}: {errors}")
    records = [json.loads(line) for line in (work / "out/metrics.jsonl").read_text().splitlines()]
    records = [record for record in records if "loss" in record]
    return plan, [record["loss"] for record in records], statistics.median(r["step_time_s"] for r in records[1:])


def largest(tools, work, device):
    """The largest hidden size, a multiple of the smallest, for which there is a plan without tiles."""
    low, high = FACTORS[0], FACTORS[-1]
    while high - low > 1:
        middle = (low + high) // 2
        plan, _ = compiled(tools, work, files(work, middle * HIDDEN, device, None))
        low, high = (middle, high) if plan else (low, middle)
    return low * HIDDEN


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    parser.add_argument("--work", type=pathlib.Path, default="out/tiling")
    parser.add_argument("--device", default="8MiB")
    parser.add_argument("--tile", default="1MiB")
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args()
    tools = options.build / "bin"
    print(f"{RANKS} ranks, {options.device} of device memory each; tiles of at most {options.tile}")
    print("hidden  largest matrix  untiled                 tiles  device planned  a step     untiled, with room")
    for factor in FACTORS:
        hidden = HIDDEN * factor
        work = options.work / str(hidden)
        untiled, refusal = compiled(tools, work / "untiled", files(work / "untiled", hidden, options.device, None))
        if not untiled:
            short = re.search(r"device of a rank is short by \d+ bytes \(([^)]*)\)", refusal)
            refusal = f"short by {short[1]}" if short else sys.exit(f"error: {work}: {refusal}")
        _, losses, seconds = trained(tools, work / "roomy", files(work / "roomy", hidden, "1GiB", None),
                                     options.steps)
        tiled, of_tiles, seconds_of_tiles = trained(
            tools, work / "tiled", files(work / "tiled", hidden, options.device, options.tile), options.steps)
        if abs(of_tiles[0] - losses[0]) > 1e-5 * losses[0]:
            sys.exit(f"error: {work}: the first loss is {of_tiles[0]} with tiles, {losses[0]} without")
        tiles = max(1, sum(1 for state in tiled["programs"][0]["states"] if state["class"] == "momentum" and
                           state["name"].endswith("h.0.mlp.c_fc.weight")))
        device = next(arena for arena in tiled["programs"][0]["arenas"] if arena["tier"] == "device")
        print(f"{hidden:>6}  {4 * hidden * hidden * 4 / 2**20:>10.3g} MiB  {'fits' if untiled else refusal:<22}"
              f"  {tiles:>5}  {device['bytes'] / 2**20:>10.3g} MiB  {seconds_of_tiles * 1e3:>6.0f} ms  "
              f"{seconds * 1e3:>6.0f} ms ({seconds_of_tiles / seconds:.2f} times)", flush=True)
    untiled = largest(tools, options.work / "largest", options.device)
    print(f"the largest hidden size without tiles is {untiled}: with them at least {hidden / untiled:.1f} times that")


if __name__ == "__main__":
    main()
