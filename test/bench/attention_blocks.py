# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What attention by blocks costs and saves: python attention_blocks.py BIN_FOLDER [TOKENS ...]

A GPT-2 of two layers, hidden 256, four heads, over sequences of 256, 1024 and 4096 tokens on one rank: all scores at
once, and blocks of 512, 256, 128 and 64 tokens by as many. CPU seconds are those of one step: of runs of three steps
less one of one step, over two. The loss is that of step 3.
"""

import json
import pathlib
import re
import sys
import tempfile

from measured_run import run

HEADS = 4
CONFIG = {"model_type": "gpt2", "n_layer": 2, "n_embd": 256, "n_head": HEADS, "vocab_size": 256,
          "activation_function": "gelu_new", "embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}
TRAINING = {"format": "windlass.training/1", "micro_batch": 1, "micro_batches": 1, "steps": 3, "recompute": "none"}
MACHINE = {"format": "windlass.hardware/1", "name": "one roomy rank", "ranks": 1,
           "device": {"capacity": "8GiB", "flops": {"f32": "100GFLOP/s", "vector": "10GFLOP/s"},
                      "bandwidth": "20GB/s"},
           "host": {"capacity": "1GiB", "bandwidth": "20GB/s", "adamw": "1.4e9"},
           "links": {"cg": {"in": "20GB/s", "out": "20GB/s"}, "gg": {"bandwidth": "20GB/s"}}}


def compile_plan(bin_folder, folder, tokens, block):
    training = dict(TRAINING, sequence=tokens)
    if block:
        training["tile"] = {"attention": 4 * HEADS * block * block}
    for name, value in (("config", dict(CONFIG, n_positions=tokens)), ("training", training), ("machine", MACHINE)):
        (folder / f"{name}.json").write_text(json.dumps(value))
    took = run([bin_folder / "windlass-compile", folder, "--training", folder / "training.json", "--hardware",
                folder / "machine.json", "-o", folder / "plan"])
    plan = json.loads((folder / "plan" / "plan.json").read_text())
    device = next(arena["bytes"] for arena in plan["programs"][0]["arenas"] if arena["tier"] == "device")
    return device, len(plan["kernels"]), re.search(r"checking ([\d,]+) instructions", took.output).group(1)


def train(bin_folder, folder, steps):
    return run([bin_folder / "windlass-run", folder / "plan", "--data", "synthetic:1", "--out",
                folder / f"out{steps}", "--steps", steps])


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    lengths = [int(word) for word in sys.argv[2:]] or [256, 1024, 4096]
    print("tokens  block  instructions  kernels      device  CPU s a step  loss")
    for tokens in lengths:
        for block in [None] + [size for size in (512, 256, 128, 64) if tokens // 32 <= size < tokens]:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                device, kernels, instructions = compile_plan(bin_folder, folder, tokens, block)
                once, thrice = (train(bin_folder, folder, steps) for steps in (1, 3))
                loss = re.findall(r"loss +([\d.]+)", thrice.output)[-1]
            print(f"{tokens:6}  {block or 'all':>5}  {instructions:>12}  {kernels:7}  "
                  f"{device / 2**20:6.1f} MiB  {(thrice.user_seconds - once.user_seconds) / 2:10.2f} s  {loss}",
                  flush=True)


if __name__ == "__main__":
    main()
