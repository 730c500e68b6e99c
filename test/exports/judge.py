# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether Windlass trains a file as PyTorch trained its module. Needs Python alone.

    python3 test/exports/judge.py --tools build/release/bin test/exports/sample     # every trial in the folder

A trial is a folder: model.onnx; job.json, what a user would say of it (flags, micro-batches) and the module's names;
reference.safetensors, what PyTorch computed in three steps, and data.safetensors, of what. In a sample job.json also
says which verdict is right, and a part of what the tools must say then.
"""

import argparse
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SAME, REFUSED, TOLD, UNKNOWN, SILENT, CRASH = "same", "refused", "told", "unknown", "SILENT OTHER MODEL", "crash"
STEPS, RATE, BETAS, EPSILON, DECAY, CLIP = 3, 1e-3, (0.9, 0.95), 1e-8, 0.1, 1.0
HARDWARE = {"format": "windlass.hardware/1", "name": "one rank", "ranks": 1,
            "device": {"capacity": "1GiB", "flops": {"f32": "50GFLOP/s"}, "bandwidth": "10GB/s"},
            "host": {"capacity": "1GiB", "bandwidth": "10GB/s"}, "links": {"cg": {"in": "10GB/s", "out": "10GB/s"}},
            "shared_cores": 1}


def tensors(path):
    """(shape, numbers) of each F32 or F64 tensor of a .safetensors file."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    found = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or entry["dtype"] not in ("F32", "F64"):
            continue
        letter, width = ("f", 4) if entry["dtype"] == "F32" else ("d", 8)
        begin, end = entry["data_offsets"]
        numbers = struct.unpack_from(f"<{(end - begin) // width}{letter}", data, 8 + size + begin)
        found[name] = entry["shape"], numbers
    return found


def largest(numbers):
    return max((math.inf if math.isnan(number) else abs(number) for number in numbers), default=0)


class Ended(Exception):
    """A tool ended with another code than 0: `verdict`, and what it said."""

    def __init__(self, code, text):
        super().__init__(text)
        self.verdict = REFUSED if code == 1 else CRASH


def run(*command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired as expired:
        raise Ended(-1, "takes longer than 120 s") from expired
    if done.returncode:
        raise Ended(done.returncode, f"[{done.returncode}] " + " ".join(done.stderr.split()))
    return done


class Trial:
    """`folder` has the files named above; what is made goes to `out`."""

    def __init__(self, tools, folder, out):
        self.tools, self.folder, self.out = pathlib.Path(tools), folder, out
        self.job = json.loads((folder / "job.json").read_text())
        self.check = self.warnings = ""

    def verdict(self):
        """One of those above, and why."""
        try:
            found = self.differences(*self.trained())
        except Ended as ended:
            return ended.verdict, str(ended)
        if not found:
            return SAME, ""
        text = "; ".join(text for _, text in found[:4]) + (f"; {len(found)} in all" if found[4:] else "")
        if any(name in self.warnings for name, _ in found):
            return TOLD, text
        return UNKNOWN if "unknown" in self.account() else SILENT, text

    def fault(self):
        """What is not as the job says; empty: nothing."""
        verdict, why = self.verdict()
        if verdict != self.job["verdict"]:
            return f"is {verdict}, not {self.job['verdict']}: {why}"
        said = " ".join((why + " " + self.check + " " + self.warnings).split())
        return "" if self.job["says"] in said else f"does not say \"{self.job['says']}\", but: {said}"

    def account(self):
        """The line of --check that says how many parameters module and file have."""
        return next((line for line in self.check.splitlines() if "the module has" in line), "")

    def trained(self):
        """Losses, gradients and parameters of a run."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        optimizer = {"learning_rate": RATE, "betas": BETAS, "epsilon": EPSILON, "weight_decay": DECAY}
        training = {"format": "windlass.training/1", "micro_batch": self.job["micro_batch"],
                    "micro_batches": self.job["micro_batches"], "steps": STEPS, "dropout": "off", "shuffle": False,
                    "clip": CLIP, "optimizer": optimizer}
        training_file, machine_file = self.out / "training.json", self.out / "machine.json"
        training_file.write_text(json.dumps(training))
        machine_file.write_text(json.dumps(HARDWARE))
        command = [self.tools / "windlass-compile", self.folder / "model.onnx", "--training", training_file,
                   *self.job["flags"]]
        self.check = run(*command, "--check").stdout
        self.warnings = run(*command, "--hardware", machine_file, "-q", "-o", self.out / "plan").stderr
        metrics, gradients, weights = (self.out / name for name in ("metrics.jsonl", "gradients", "weights"))
        run(self.tools / "windlass-run", self.out / "plan", "--data", self.folder / "data.safetensors", "--out",
            self.out / "run", "--metrics", metrics, "--dump-gradients", gradients, "--export", weights, "--quiet")
        losses = [json.loads(line)["loss"] for line in metrics.read_text().splitlines()]
        return losses, self.renamed(tensors(gradients)), self.renamed(tensors(weights))

    def renamed(self, named):
        """Under the name that the module lists first, where it has several for one parameter."""
        return {self.job["names"].get(key, key): value for key, value in named.items()}

    def differences(self, losses, gradients, weights):
        """(whose, what) for each."""
        expected = tensors(self.folder / "reference.safetensors")
        return [*differences_of_losses(expected.pop("losses")[1], losses),
                *differences_of_tensors(expected, gradients, weights),
                *((key, f"{key} is left over in the export") for key in weights if key not in self.job["state"])]


def differences_of_losses(expected, found):
    for step, (loss, other) in enumerate(zip(expected, found)):
        if not abs(other - loss) <= (1e-4 if step else 1e-5) * max(abs(loss), 1e-2):
            yield "loss", f"the loss of step {step + 1} is {other:.6g}, not {loss:.6g}"


def differences_of_tensors(expected, gradients, weights):
    named = {key.removeprefix("gradient/"): value for key, value in expected.items() if key.startswith("gradient/")}
    least = 1e-6 * max(largest(numbers) for _, numbers in named.values())
    for key in sorted(named.keys() | gradients.keys()):
        if key in gradients and key in named:
            shape, numbers = gradients[key]
            wanted, trained = cut_to(shape, named[key]), cut_to(shape, expected["trained/" + key])
            yield from ((key, f"{key} {text}") for text in
                        differences_of(shape, numbers, wanted, trained, weights[key], least))
        elif key in named:
            if largest(named[key][1]) > 0:
                yield key, f"{key} is trained by the module alone"
        elif largest(gradients[key][1]) > least or "trained/" + key not in expected:
            is_known = "trained/" + key in expected
            yield key, f"{key} {'is trained by the run alone' if is_known else 'is no parameter of the module'}"


def cut_to(shape, tensor):
    """Of a table of which a file has the first rows alone, others were never looked up, these rows."""
    own, numbers = tensor
    if own[1:] == shape[1:] and own and shape and shape[0] < own[0]:
        return shape, numbers[:math.prod(shape)]
    return tensor


def differences_of(shape, found, wanted, trained, weight, least):
    own, gradient = wanted
    if shape != own:
        yield f"is {shape}, not {own}"
        return
    floor = max(1e-4 * largest(gradient), least)
    worst = largest([a - b for a, b in zip(gradient, found)])
    if not worst <= floor:
        yield f"has a gradient that is off by {worst:.1e}, of {largest(gradient):.1e}"
    limits = [3.5 * RATE if abs(g) <= floor else 1e-5 + 1e-4 * abs(t) for g, t in zip(gradient, trained[1])]
    if not all(abs(a - b) <= limit for a, b, limit in zip(trained[1], weight[1], limits)):
        yield "is another after training"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", type=pathlib.Path, help="a folder of trials")
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    given = parser.parse_args()
    faults = 0
    trials = sorted(path.parent for path in given.sample.glob("*/job.json"))
    with tempfile.TemporaryDirectory() as out:
        for folder in trials:
            if fault := Trial(given.tools, folder, pathlib.Path(out)).fault():
                faults += 1
                print(f"{folder.name}: {fault}")
    print(f"{len(trials)} trials, {faults} faults")
    return 1 if faults or not trials else 0


if __name__ == "__main__":
    sys.exit(main())
