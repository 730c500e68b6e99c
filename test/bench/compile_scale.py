# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What windlass-compile takes for deeper models: python compile_scale.py BIN_FOLDER [LAYERS ...] [LAYERS@DATAxTENSORxPIPELINE ...] [10B] [175B] [1T-64] [1T-512]

A GPT-2 of hidden 768 as ZeRO stage 3 over 8 ranks whose states go to host and NVMe; 12, 24, 48 and 96 layers; with a mesh, over as many ranks in that. 10B and 175B:
a GPT-2 of 50 layers of 4,096 and one of GPT-3's shape, in fp16 on 64 V100 of four DGX-2, with two sequences of 1,024 each. 1T-64 and
1T-512: ZeRO-Infinity's 1T on as many, and on 512. "step" is the predicted one.
Seconds of the clock by level, as --timing has them, over all plans that were tried; "plan" is the plan level with
emitting, checking and predicting. Graph, dist and kernels should follow the number of different layers (states are
named one by one all the same), the rest the number of instructions and of plans. Then processor seconds and memory.
"""

import collections
import json
import pathlib
import re
import sys
import tempfile

from measured_run import run

MODEL = pathlib.Path(__file__).parent / "gpt2-124m"
CLUSTER = pathlib.Path(__file__).parents[2] / "examples" / "hardware" / "dgx-2-cluster.json"
LARGE = {"10B": (50, 4096, 32, 64), "175B": (96, 12288, 96, 64), "1T-64": (128, 25600, 256, 64),
         "1T-512": (128, 25600, 256, 512)}  # layers, hidden, heads, ranks
RANKS_OF_A_NODE = 16
RANKS = 8
COLUMNS = ("graph", "dist", "flow", "memory", "plan", "kernels")


def write_inputs(folder, layers, mesh=(RANKS, 1, 1)):
    config = json.loads((MODEL / "config.json").read_text())
    config.update(n_layer=layers, n_embd=768)
    training = json.loads((MODEL / "training.json").read_text())
    del training["micro_batches"]
    training.update(global_batch=RANKS, parallel=dict(zip(("data", "tensor", "pipeline"), mesh)))
    machine = json.loads((MODEL / "machine.json").read_text())
    machine["ranks"] = RANKS
    machine["device"]["capacity"] = f"{350 + 18 * layers}MiB"  # residuals grow with depth; states must not fit
    machine["host"]["capacity"] = f"{RANKS * (150 + 4 * layers)}MiB"
    machine["nvme"]["capacity"] = "64GiB"
    write(folder, config, training, machine)


def write_large(folder, layers, hidden, heads, ranks):
    config = json.loads((MODEL / "config.json").read_text())
    config.update(n_layer=layers, n_embd=hidden, n_head=heads)
    machine = json.loads(CLUSTER.read_text())
    machine["nodes"] = ranks // RANKS_OF_A_NODE
    training = {"format": "windlass.training/1", "micro_batch": 2, "parallel": {"data": ranks}, "sequence": 1024,
                "precision": {"compute": "fp16"}}
    write(folder, config, training, machine)


def write(folder, config, training, machine):
    for name, value in (("config", config), ("training", training), ("machine", machine)):
        (folder / f"{name}.json").write_text(json.dumps(value))


def seconds_by_level(output):
    """Of the outermost lines of the table of --timing; what is done for each stage of a pipeline is counted together."""
    levels = collections.Counter()
    for seconds, name in re.findall(r"^ +([\d.]+) \(.*\)  (\w+)(?:-\d+)?$", output, re.M):
        levels[name] += float(seconds)
    levels["plan"] += sum(levels[name] for name in ("planned", "emit", "check", "predict"))
    return [levels[name] for name in COLUMNS]


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    models = sys.argv[2:] or ["12", "24", "48", "96"]
    print("  layers  instructions  plans" + "".join(f"{name:>9}" for name in COLUMNS) + "      user    memory    plan.json         step")
    for model in models:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if model in LARGE:
                write_large(folder, *LARGE[model])
            else:
                layers, _, mesh = model.partition("@")
                write_inputs(folder, int(layers), *([[int(ranks) for ranks in mesh.split("x")]] if mesh else []))
            took = run([bin_folder / "windlass-compile", folder, "--training", folder / "training.json", "--hardware",
                        folder / "machine.json", "-o", folder / "plan", "--timing"])
            instructions = re.search(r"checking ([\d,]+) instructions", took.output).group(1)
            file = folder / "plan" / "plan.json"
            size, plan = file.stat().st_size, json.loads(file.read_text())
        plans = took.output.count("] planning with ")
        print(f"{model:>8}  {instructions:>12}  {plans:5}" +
              "".join(f"{seconds:7.2f} s" for seconds in seconds_by_level(took.output)) +
              f"{took.user_seconds:8.1f} s {took.peak_bytes / 2**20:5.0f} MiB  {size / 2**20:6.1f} MiB"
              f"  {plan['prediction']['step_seconds']:9.3f} s", flush=True)


if __name__ == "__main__":
    main()
