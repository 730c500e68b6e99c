#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an example as its README says, in CI length, and looks at what it leaves behind.

    example_test.py fine-tuning|gpt2-bytes|mlp|onnx SOURCE BUILD
"""

import json
import pathlib
import shutil
import subprocess
import sys

CHECKPOINT = ("config.json", "model.safetensors", "optimizer.safetensors", "trainer_state.json")


def run(*command):
    """What a command prints; when it fails, all of it goes on and the test fails."""
    done = subprocess.run([f"{part}" for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    print(text)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}: exit code {done.returncode}")
    return text


def expect(truth, message):
    if not truth:
        sys.exit(f"error: {message}")


def losses(out, steps):
    records = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    found = {record["step"]: record["loss"] for record in records if "loss" in record}
    expect(sorted(found) == list(range(1, steps + 1)), f"{out}/metrics.jsonl: not one loss for each of {steps} steps")
    return [found[step] for step in range(1, steps + 1)]


def mean(values):
    return sum(values) / len(values)


def gpt2_bytes(source, build, out):
    """The quickstart itself, 60 steps of it: the loss must leave the plateau of byte frequencies (some 3.1)."""
    steps = 60
    text = run(source / "tools/quickstart.sh", "--steps", steps, "--out", out)
    for word in ("predicted", "capacity", "recompute", "check", "written to NVMe", "memory device"):
        expect(word in text, f"the screen says nothing of '{word}'")
    course = losses(out, steps)
    expect(5.2 < course[0] < 6.0, f"the first loss is {course[0]}, not about ln 256")
    expect(mean(course[-5:]) < 2.9, f"after {steps} steps the loss is {mean(course[-5:])}")
    for name in CHECKPOINT:
        expect((out / f"checkpoints/step-{steps:08}" / name).is_file(), f"the checkpoint has no {name}")
    expect(json.loads((out / "step.json").read_text()), "the timeline is empty")


def mlp(source, build, out):
    example, plan, steps = source / "examples/mlp", out / "mlp.plan", 60
    run(build / "bin/windlass-compile", example / "model.json", "--training", example / "training.json",
        "--hardware", example / "machine.json", "-o", plan)
    run(build / "bin/windlass-run", plan, "--data", "synthetic:1", "--steps", steps, "--out", out, "--resume", "off")
    course = losses(out, steps)
    expect(mean(course[-5:]) < 0.5 * mean(course[:5]), f"the loss goes from {course[0]} to {course[-1]}")


def tensors(path):
    """Names and shapes in a safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return {name: entry["shape"] for name, entry in header.items() if name != "__metadata__"}


def fine_tuning(source, build, out):
    """The model goes on where it stood, comes closer to the new text, and leaves as it came."""
    example, steps = source / "examples/fine-tuning", 60
    for name, weights in (("tuned", ()), ("fresh", ("--weights", "none"))):
        run(build / "bin/windlass-compile", example / "model", "--training", example / "training.json", "--hardware",
            example / "machine.json", "-o", out / f"{name}.plan", *weights)
    run(build / "bin/windlass-run", out / "tuned.plan", "--data", "/usr/share/common-licenses", "--steps", steps,
        "--out", out, "--export", out / "tuned.safetensors", "--dump-gradients", out / "gradients.safetensors")
    run(build / "bin/windlass-run", out / "fresh.plan", "--data", "/usr/share/common-licenses", "--steps", 1,
        "--out", out / "fresh")
    course = losses(out, steps)
    first = losses(out / "fresh", 1)[0]
    expect(5.2 < first < 6.0, f"without its weights the model begins at a loss of {first}, not about ln 256")
    expect(course[0] < first - 2, f"with its weights the model begins at a loss of {course[0]}")
    expect(mean(course[-5:]) < mean(course[:5]) - 0.1, f"the loss goes from {course[0]} to {course[-1]}")
    saved = tensors(example / "model/model.safetensors")
    expect(len(saved) > 20, "the example's model has no tensors to speak of")
    for path in (out / "tuned.safetensors", out / "gradients.safetensors",
                 out / f"checkpoints/step-{steps:08}/model.safetensors"):
        expect(tensors(path) == saved, f"{path} has other tensors than the model")


def onnx(source, build, out):
    """The model goes on where PyTorch left it, and leaves under the module's names and in its shapes."""
    example, steps, plan = source / "examples/onnx", 60, out / "decoder.plan"
    training = ("--training", example / "training.json")
    text = run(build / "bin/windlass-compile", example / "decoder.onnx", "--check", *training)
    for word in ("stored transposed", "2 attention", "4 rotary embedding", "5 RMS norm", "2 SiLU"):
        expect(word in text, f"--check says nothing of '{word}'")
    run(build / "bin/windlass-compile", example / "decoder.onnx", *training, "--hardware", example / "machine.json",
        "-o", plan)
    run(build / "bin/windlass-run", plan, "--data", "/usr/share/common-licenses", "--steps", steps, "--out", out,
        "--export", out / "decoder.safetensors")
    run(build / "bin/windlass-run", plan, "--sample", "This license ", "--out", out)
    course = losses(out, steps)
    expect(course[0] < 4, f"with the file's values the model begins at a loss of {course[0]}, not below ln 256")
    expect(mean(course[-5:]) < mean(course[:5]) - 0.1, f"the loss goes from {course[0]} to {course[-1]}")
    shapes = {"embedding.weight": [256, 48], "norm.weight": [48]}
    for layer in ("layers.0.", "layers.1."):
        shapes |= {layer + name: shape for name, shape in {
            "attention_norm.weight": [48], "norm.weight": [48], "query.weight": [48, 48], "out.weight": [48, 48],
            "key.weight": [24, 48], "value.weight": [24, 48], "gate.weight": [128, 48], "up.weight": [128, 48],
            "down.weight": [48, 128]}.items()}
    found = tensors(out / "decoder.safetensors")
    expect(found == shapes, f"the export has other tensors than the module: {found}")


def main(name, source, build):
    examples = {"fine-tuning": fine_tuning, "gpt2-bytes": gpt2_bytes, "mlp": mlp, "onnx": onnx}
    source, build = pathlib.Path(source), pathlib.Path(build)
    out = build / "examples" / name
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    examples[name](source, build, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
