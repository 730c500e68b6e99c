# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it takes to refuse deep models, and to check them: python refusals.py BIN_FOLDER [LAYERS ...]

Layers of 64 by 64 on two ranks with 48 KiB of device each, as a repeated block and written out; 32, 64, 128 and 256 of
them. Processor seconds of windlass-compile, the median of five runs: until it says what would fit, and with --check.
"""

import json
import pathlib
import statistics
import sys
import tempfile

from measured_run import run

ROUNDS = 5
CANNOT_FIT = 3
WEIGHT = {"shape": ["H", "H"], "init": {"normal": 0.1}}
TRAINING = {
    "format": "windlass.training/1", "micro_batch": 1, "micro_batches": 2, "parallel": {"data": 2}, "steps": 10,
    "optimizer": {"learning_rate": 1e-2, "betas": [0.9, 0.95], "weight_decay": 0.1},
    "schedule": {"type": "cosine", "warmup": 2}, "clip": 1.0, "zero_stage": 3, "recompute": "none",
}
MACHINE = {
    "format": "windlass.hardware/1", "name": "little device", "ranks": 2,
    "device": {"capacity": "48KiB", "flops": {"f32": "50GFLOP/s"}, "bandwidth": "20GB/s"},
    "host": {"capacity": "128MiB", "bandwidth": "20GB/s"},
    "links": {"cg": {"in": "20GB/s", "out": "20GB/s"}, "gg": {"bandwidth": "20GB/s"}},
}


def layer(value, weight, name):
    """The operations of a layer, whose result is called `name`."""
    return [{"op": "matmul", "in": [value, weight], "out": name + ".linear"},
            {"op": "relu", "in": [name + ".linear"], "out": name}]


def model_of(layers, is_flat):
    model = {"format": "windlass.model/1", "dims": {"B": "batch", "H": 64},
             "inputs": {"x": {"role": "features", "shape": ["B", "H"]}, "y": {"role": "targets", "shape": ["B", "H"]}},
             "params": {}, "ops": [{"op": "relu", "in": ["x"], "out": "h"}], "loss": "losses"}
    value = "h"
    if is_flat:
        for i in range(layers):
            model["params"][f"layer.{i}.weight"] = WEIGHT
            model["ops"] += layer(value, f"layer.{i}.weight", f"layer.{i}")
            value = f"layer.{i}"
    else:
        model["blocks"] = {"layer": {"in": ["h"], "params": {"weight": WEIGHT}, "ops": layer("h", "weight", "active"),
                                     "out": ["active"]}}
        model["ops"].append({"repeat": layers, "block": "layer", "carry": ["h"], "name": "layer.{i}"})
    model["ops"].append({"op": "mse", "in": [value, "y"], "out": "losses"})
    return model


def seconds(command, expected):
    return statistics.median(run(command, expected).user_seconds for _ in range(ROUNDS))


def main():
    compiler = pathlib.Path(sys.argv[1]) / "windlass-compile"
    print("layers   refused, blocks   refused, flat   checked")
    for layers in [int(word) for word in sys.argv[2:]] or [32, 64, 128, 256]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, value in (("training", TRAINING), ("machine", MACHINE), ("blocks", model_of(layers, False)),
                                ("flat", model_of(layers, True))):
                (folder / f"{file}.json").write_text(json.dumps(value))
            files = ["--training", folder / "training.json"]
            refused = [seconds([compiler, folder / f"{model}.json", *files, "--hardware", folder / "machine.json"], CANNOT_FIT)
                       for model in ("blocks", "flat")]
            checked = seconds([compiler, folder / "blocks.json", *files, "--check"], 0)
        print(f"{layers:6}{refused[0]:16.2f} s{refused[1]:14.2f} s{checked:8.2f} s", flush=True)


if __name__ == "__main__":
    main()
