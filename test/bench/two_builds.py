# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Are plans of one build faster than those of another? python two_builds.py BEFORE AFTER [--only WORD]

BEFORE, AFTER: folders with the windlass-sim of each build. Simulated seconds of a step, and seconds that planning took, of the models
and machines of named_strategies.py and of models that are too large for the memory of one device, all with gradients clipped.
"""

import argparse
import copy
import json
import pathlib
import tempfile
import time

from named_strategies import HARDWARE, Asked, cases, gpt2

# Layers, and micro-batches of a step, of a Llama of hidden size 2048 on 24 GB; GiB of the device of a GPT-2 124M.
LLAMAS = ((26, 1), (27, 1), (28, 1), (30, 1), (34, 1), (40, 1), (26, 4), (28, 4), (30, 4))
CAPACITIES = (1.5, 2, 2.5, 3)


def llama(layers, hidden, heads, feed_forward):
    return {"model_type": "llama", "num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads,
            "num_key_value_heads": heads, "intermediate_size": feed_forward, "vocab_size": 32000, "max_position_embeddings": 1024,
            "hidden_act": "silu", "rms_norm_eps": 1e-5, "tie_word_embeddings": False}


def on_small_devices():
    """Name, model, training, machine."""
    workstation, server = (json.loads((HARDWARE / f"{name}.json").read_text()) for name in ("workstation-24gb", "h100-server"))

    def training(micro_batches):
        return {"micro_batch": 1, "micro_batches": micro_batches, "sequence": 1024, "precision": {"compute": "bf16"}}
    for layers, micro_batches in LLAMAS:
        yield f"llama {layers} x {micro_batches}", llama(layers, 2048, 16, 5632), training(micro_batches), workstation
    for capacity in CAPACITIES:
        for name, machine in (("h100", server), ("24gb", workstation)):
            smaller = copy.deepcopy(machine)
            smaller["device"]["capacity"] = f"{int(1024 * capacity)}MiB"
            yield f"gpt2 {capacity} {name}", gpt2(12, 768, 12, 1024, 50257), training(1), smaller
    for micro_batches in (1, 4):
        yield f"llama 7b x {micro_batches}", llama(32, 4096, 32, 11008), training(micro_batches), server


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("before")
    options.add_argument("after")
    options.add_argument("--only", default="")
    given = options.parse_args()
    changes = []
    with tempfile.TemporaryDirectory() as name:
        builds = [Asked(pathlib.Path(name), folder.rstrip("/") + "/") for folder in (given.before, given.after)]
        for case, model, training, machine in (*on_small_devices(), *cases()):
            if given.only not in case:
                continue
            line, steps = f"{case:18}", []
            for build in builds:
                began = time.monotonic()
                plan = build.ask(model, {**training, "clip": 1.0}, machine)
                steps.append(plan and plan["step_seconds"])
                line += (f" {1000 * steps[-1]:10.4g} ms" if plan else "    no plan fits") + f" ({time.monotonic() - began:5.1f} s)"
            if all(steps):
                changes.append(steps[1] / steps[0] - 1)
                line += f" {100 * changes[-1]:+6.1f} %"
            print(line, flush=True)
    print(f"{sum(change < -0.001 for change in changes)} faster, {sum(change > 0.001 for change in changes)} slower, of {len(changes)}")


if __name__ == "__main__":
    main()
