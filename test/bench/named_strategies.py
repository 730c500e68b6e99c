# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is a plan ever slower than a strategy with a name? python named_strategies.py [BIN_FOLDER] [--only WORD] [--monotone]

On 20 machines that are drawn from SEED, each with a small GPT-2, on every file of examples/hardware with a GPT-2 whose states take
more than its devices have, and on 64 V100 with a slow network with a GPT-2 of 10 B parameters (SlowNetworkTest): the plan that is
found beside each strategy by name with nothing recomputed and with all layers, as windlass-sim simulates them. Prints how many of
them fit, the best, and how much slower the plan is than that. With --monotone: how much slower the plan gets where one thing of the
machine is twice as good. Ends with exit code 1 where a plan is more than 0.5 % slower than a named one, or more than 2 % slower with
more.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

SEED = 20
MACHINES = 20
NEARLY, MONOTONE = 0.005, 0.02
HARDWARE = pathlib.Path(__file__).parents[2] / "examples" / "hardware"
SLOW_NETWORK = pathlib.Path(__file__).parents[1] / "compiler" / "driver" / "search" / "slow_network.json"
CPU = "x86-64-v3"
# Layers, hidden, heads, and sequences of a rank: states of 16 bytes a parameter that need more than one device.
MODELS = {"laptop": (12, 1536, 12, 1), "h100-server": (24, 4096, 32, 1), "workstation-24gb": (24, 2048, 16, 2),
          "v100-1.5tb": (24, 2304, 24, 4), "azure-nc24rs-v3": (24, 2048, 16, 4), "dgx-2": (32, 4096, 32, 4),
          "dgx-2-cluster": (32, 4096, 32, 2), "dgx-a100": (40, 5120, 40, 2), "dgx-h100": (40, 5120, 40, 2),
          "selene": (40, 5120, 40, 2), "slow_network": (50, 4096, 32, 2)}
BETTER = ("device.capacity", "host.capacity", "device.bandwidth", "links.cg.in", "links.cg.out", "links.gg.bandwidth", "nvme.read",
          "nvme.write")


def gpt2(layers, hidden, heads, sequence, vocabulary):
    return {"model_type": "gpt2", "n_layer": layers, "n_embd": hidden, "n_head": heads, "n_positions": sequence,
            "vocab_size": vocabulary, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0, "activation_function": "gelu_new"}


def drawn(draw):
    """A machine on which a small model needs most of what there is."""
    def between(least, most, unit):
        return f"{int(least * (most / least) ** draw.random())}{unit}"
    ranks = draw.choice((2, 4))
    machine = {
        "format": "windlass.hardware/1", "ranks": ranks, "shared_cores": draw.choice((2, 4)) * ranks,
        "device": {"capacity": between(500, 4000, "KiB"), "flops": {"f32": between(10, 500, "GFLOP/s")},
                   "bandwidth": between(5, 50, "GB/s")},
        "host": {"capacity": between(1500 * ranks // 2, 16000, "KiB"), "bandwidth": "20GB/s"},
        "nvme": {"capacity": f"{64 * ranks}MiB", "read": between(100, 5000, "MB/s"), "write": between(100, 5000, "MB/s")},
        "links": {"cg": {"in": between(200, 20000, "MB/s"), "out": between(200, 20000, "MB/s")},
                  "gg": {"bandwidth": between(100, 20000, "MB/s"), "latency": between(1, 200, "us")}}}
    if draw.random() < 0.5:
        del machine["shared_cores"]
    return machine


def cases():
    """Name, model, training, machine."""
    draw = random.Random(SEED)
    for number in range(MACHINES):
        machine = drawn(draw)
        yield f"drawn {number}", gpt2(2, 64, 2, 32, 256), {"micro_batch": 1, "parallel": {"data": machine["ranks"]}}, machine
    for file in (*sorted(HARDWARE.glob("*.json")), SLOW_NETWORK):
        machine = json.loads(file.read_text())
        layers, hidden, heads, batch = MODELS[file.stem]
        ranks = machine.get("ranks") or machine["nodes"] * machine["devices_per_node"]
        training = {"micro_batch": batch, "parallel": {"data": ranks}, "sequence": 1024}
        if "f16" in machine["device"]["flops"]:
            training["precision"] = {"compute": "fp16"}
        yield file.stem, gpt2(layers, hidden, heads, 1024, 50257), training, machine


class Asked:
    def __init__(self, folder, tools):
        self.folder, self.tools = folder, tools

    def ask(self, model, training, machine, *words):
        for name, value in (("config", model), ("training", training), ("machine", machine)):
            (self.folder / f"{name}.json").write_text(json.dumps({"format": "windlass.training/1", **value} if name == "training"
                                                                 else value))
        command = [self.tools + "windlass-sim", self.folder, "--training", self.folder / "training.json", "--hardware",
                   self.folder / "machine.json", "--target-cpu", CPU, "--json", *words]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def named(self, model, training, machine):
        """Seconds of the plan, and of each named strategy that fits."""
        seconds = {}
        for recompute in ("none", "full"):
            rows = self.ask(model, {**training, "recompute": recompute}, machine, "--strategies")
            for row in rows[1:]:
                if row["fits"]:
                    seconds[f"{row['name']}, recompute {recompute}"] = row["step_seconds"]
        plan = self.ask(model, training, machine)
        return plan and plan["step_seconds"], seconds

    def slower_with_more(self, model, training, machine, plan):
        """What makes the plan slowest where it is better, and by how much."""
        worst = ("nothing", 0.0)
        for key in BETTER:
            place, name = key.split(".")[:2]
            if name not in machine.get(place, {}):
                continue
            step = self.ask(model, training, machine, "--set", f"{key}=2x")
            worst = max(worst, (key, step["step_seconds"] / plan - 1), key=lambda found: found[1])
        return worst


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("bin", nargs="?", default="")
    options.add_argument("--only", default="")
    options.add_argument("--monotone", action="store_true")
    given = options.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        asked = Asked(pathlib.Path(name), given.bin and given.bin.rstrip("/") + "/")
        for case, model, training, machine in cases():
            if given.only not in case:
                continue
            plan, seconds = asked.named(model, training, machine)
            if plan is None:
                print(f"{case:18} no plan fits, {len(seconds)} named do", flush=True)
                faults += bool(seconds)
                continue
            line = f"{case:18} {1000 * plan:12.4g} ms  {len(seconds):2} named fit"
            if seconds:
                best = min(seconds, key=seconds.get)
                slower = plan / seconds[best] - 1
                faults += slower > NEARLY
                line += f", the best at {1000 * seconds[best]:.4g} ms ({100 * slower:+.1f} %): {best}"
            if given.monotone:
                what, more = asked.slower_with_more(model, training, machine, plan)
                faults += more > MONOTONE
                line += f"; with more at most {100 * more:+.1f} % ({what})"
            print(line, flush=True)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
