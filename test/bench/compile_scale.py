"""What windlass-compile takes for deeper models: python compile_scale.py BIN_FOLDER [LAYERS ...]

A GPT-2 of hidden 768 as ZeRO stage 3 over 8 ranks whose states go to host and NVMe; 12, 24, 48 and 96 layers.
Planning (graph to planned flow), emitting with its kernels, and checking (with prediction and files) are seconds
of the clock. Time and memory should follow the number of instructions, and the number of kernels should not change.
"""

import json
import pathlib
import re
import sys
import tempfile

from measured_run import run

MODEL = pathlib.Path(__file__).parent / "gpt2-124m"
RANKS = 8


def write_inputs(folder, layers):
    config = json.loads((MODEL / "config.json").read_text())
    config.update(n_layer=layers, n_embd=768)
    training = json.loads((MODEL / "training.json").read_text())
    training.update(global_batch=RANKS, parallel={"data": RANKS})
    machine = json.loads((MODEL / "machine.json").read_text())
    machine["ranks"] = RANKS
    machine["device"]["capacity"] = f"{350 + 18 * layers}MiB"  # residuals grow with depth; states must not fit
    machine["host"]["capacity"] = f"{RANKS * (150 + 4 * layers)}MiB"
    machine["nvme"]["capacity"] = "64GiB"
    for name, value in (("config", config), ("training", training), ("machine", machine)):
        (folder / f"{name}.json").write_text(json.dumps(value))


def phases(output, seconds):
    """Seconds of planning, of emitting and of the rest, from the compiler's progress lines."""
    begins = {word: float(at) for at, word in re.findall(r"\[ *([\d.]+) s\] (\w+)", output)}
    return begins["writing"], begins["checking"] - begins["writing"], seconds - begins["checking"]


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    depths = [int(word) for word in sys.argv[2:]] or [12, 24, 48, 96]
    print("layers  instructions  kernels  planning  emitting  checking     user    memory    plan.json")
    for layers in depths:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_inputs(folder, layers)
            took = run([bin_folder / "windlass-compile", folder, "--training", folder / "training.json", "--hardware",
                        folder / "machine.json", "-o", folder / "plan"])
            instructions = re.search(r"checking ([\d,]+) instructions", took.output).group(1)
            plan = (folder / "plan" / "plan.json").read_bytes()
        kernels = len(json.loads(plan)["kernels"])
        planning, emitting, checking = phases(took.output, took.seconds)
        print(f"{layers:6}  {instructions:>12}  {kernels:7}  {planning:6.1f} s  {emitting:6.1f} s  {checking:6.1f} s "
              f"{took.user_seconds:6.1f} s {took.peak_bytes / 2**20:5.0f} MiB  {len(plan) / 2**20:6.1f} MiB", flush=True)


if __name__ == "__main__":
    main()
