# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans whose predicted steps are compared with measured ones: they differ in model, ranks, strategy and placement."""

import dataclasses
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPT2_BYTES, MLP, ONNX = (ROOT / "examples" / name for name in ("gpt2-bytes", "mlp", "onnx"))
GPT2_SMALL = ROOT / "test/bench/gpt2-small"


@dataclasses.dataclass
class Case:
    name: str
    model: pathlib.Path
    job: pathlib.Path  # folder of training.json and the hardware file
    hardware: str = "machine.json"
    options: tuple = ()
    training: dict = dataclasses.field(default_factory=dict)  # keys in place of the file's
    device: str = ""  # a capacity in place of the file's

    def write(self, folder):
        """training.json and declared.json as the case has them."""
        training = json.loads((self.job / "training.json").read_text()) | self.training
        hardware = json.loads((self.job / self.hardware).read_text())
        if self.device:
            hardware["device"]["capacity"] = self.device
        (folder / "training.json").write_text(json.dumps(training))
        (folder / "declared.json").write_text(json.dumps(hardware))


def gpt2_bytes(name, *options, hardware="four-links.json", **others):
    return Case(f"gpt2-bytes, {name}", GPT2_BYTES, GPT2_BYTES, hardware, options, **others)


def gpt2_small(name, *options, **others):
    return Case(f"gpt2-small, {name}", GPT2_SMALL, GPT2_SMALL, "machine.json", options, **others)


TWO_RANKS = {"parallel": {"data": 2}, "micro_batches": 4, "micro_batch": 1}

CASES = [
    gpt2_bytes("quickstart", hardware="machine.json"),
    gpt2_bytes("zero-1", "--strategy", "zero-1"),
    gpt2_bytes("zero-2", "--strategy", "zero-2"),
    gpt2_bytes("zero-3", "--strategy", "zero-3"),
    gpt2_bytes("zero-offload", "--strategy", "zero-offload"),
    gpt2_bytes("zero-3-offload", "--strategy", "zero-3-offload"),
    gpt2_bytes("zero-infinity-cpu", "--strategy", "zero-infinity-cpu"),
    gpt2_bytes("zero-infinity-nvme", "--strategy", "zero-infinity-nvme"),
    gpt2_bytes("full recomputation", "--strategy", "zero-3", "--recompute", "full"),
    gpt2_small("1 rank of 2 threads"),
    gpt2_small("1 rank, states on the host", "--strategy", "zero-infinity-cpu"),
    gpt2_small("1 rank, states on the disk", "--strategy", "zero-infinity-nvme"),
    gpt2_small("1 rank, bf16", training={"precision": {"compute": "bf16"}}),
    Case("onnx decoder", ONNX / "decoder.onnx", ONNX),
    Case("mlp", MLP / "model.json", MLP),
]
