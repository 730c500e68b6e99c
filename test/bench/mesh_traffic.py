# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What groups that hold copies move: python mesh_traffic.py [BIN_FOLDER]

examples/gpt2-bytes at ZeRO stage 3 on two nodes of two ranks whose links between nodes are 80 times slower than those
inside: once shared out over all four ranks, once over the two of a node with a copy in the other ("parallel.shard" 2),
once with a copy of the parameters alone ("parallel.optimizer_shard" "all").
Of each plan: the states of a rank, what the collectives of a step bring to a rank (counted from the plan, whole tensors)
over groups inside a node and over groups that cross nodes, the step that the simulator expects, and the loss after ten
steps on synthetic data. Asserts nothing. Without BIN_FOLDER the tools are those on the path.
"""

import json
import pathlib
import shutil
import sys
import tempfile

from measured_run import run, step_records

BYTES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "gpt2-bytes"
RANKS_OF_NODE = 2
STEPS = 10


def write_inputs(folder, parallel):
    training = json.loads((BYTES / "training.json").read_text())
    training.update(zero_stage=3, parallel={"data": 2 * RANKS_OF_NODE} | parallel)
    machine = json.loads((BYTES / "four-links.json").read_text())
    del machine["ranks"]
    machine.update(name="two nodes of two ranks", nodes=2, devices_per_node=RANKS_OF_NODE)
    machine["links"]["nodes"] = {"bandwidth": "250MB/s"}
    for name, value in (("training", training), ("machine", machine)):
        (folder / f"{name}.json").write_text(json.dumps(value))


def span(mesh, axes):
    """Consecutive ranks among which the groups over some axes lie."""
    found = covered = 1
    for number, axis in reversed(list(enumerate(mesh))):
        covered *= axis["size"]
        if not axes or number in axes:
            found = covered
    return found


def traffic(plan):
    """Bytes of a step's collectives, for a rank: (inside nodes, across them)."""
    bytes_of = [0, 0]
    for index, times in plan["programs"][0]["train"]:
        for instruction in plan["programs"][0]["sections"][index]["instructions"]:
            if instruction["lane"] in ("gg", "nodes"):
                crosses = RANKS_OF_NODE % span(plan["mesh"], instruction.get("axes", [])) != 0
                bytes_of[crosses] += times * instruction["moves"]
    return bytes_of


def state_bytes(plan):
    classes = ("parameter", "master", "momentum", "variance", "gradient")
    return sum(buffer["bytes"] for buffer in plan["programs"][0]["buffers"] if buffer.get("persistent") and buffer["class"] in classes)


def main():
    bin_folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(shutil.which("windlass-compile")).parent)
    print("shared out over   states of a rank  inside nodes  across nodes       step  loss")
    for ranks, parallel in (
        (f"{2 * RANKS_OF_NODE} ranks", {}),
        (f"{RANKS_OF_NODE} ranks, twice", {"shard": RANKS_OF_NODE}),
        (f"{RANKS_OF_NODE}; rest: {2 * RANKS_OF_NODE}", {"shard": RANKS_OF_NODE, "optimizer_shard": "all"}),
    ):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_inputs(folder, parallel)
            run([bin_folder / "windlass-compile", BYTES, "--training", folder / "training.json", "--hardware",
                 folder / "machine.json", "-o", folder / "plan", "--quiet"])
            run([bin_folder / "windlass-run", folder / "plan", "--data", "synthetic", "--out", folder / "out",
                 "--steps", STEPS])
            plan = json.loads((folder / "plan" / "plan.json").read_text())
            loss = step_records(folder / "out" / "metrics.jsonl")[-1]["loss"]
        inside, across = (f"{amount / 2**20:.2f} MiB" for amount in traffic(plan))
        print(f"{ranks:<16}{state_bytes(plan) / 2**20:>14.2f} MiB{inside:>14}{across:>14}"
              f"{plan['prediction']['step_seconds'] * 1e3:>8.1f} ms  {loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
