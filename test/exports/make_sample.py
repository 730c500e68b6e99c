# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the exports that the tests judge (sample/): one of each kind that was once another model, or that is refused.

    venv/bin/python test/exports/make_sample.py [NAME ...]     # as try_exports.py is run

A trial is what try_exports.py makes of a model and a form; its job.json says beside that which verdict is right.
"""

import json
import pathlib
import re
import shutil
import sys
import warnings

import onnx
import torch

import forms
import reference
from catalogue import MODELS, TOGETHER
from judge import REFUSED, SAME, UNKNOWN

SAMPLE = pathlib.Path(__file__).parent / "sample"
UNREAD = ("class_hierarchy", "namespace")  # notes of nodes
UNTOLD = "of which the file does not say whether they are learned"

# A name: the model, the form, the verdict, what is said, more flags, and the module's names of what the file renames.
TRIALS = {
    "copies-traced": ("deep copies", "dynamo-20-folded-open-train-fresh", SAME, "2 merged, 4 split"),
    "copies-scripted": ("deep copies", "script-17-folded-open-train-fresh"),
    "layer-scales": ("layer scales, 1e-5", "dynamo-23-folded-open-eval-fresh"),
    "uncertainties": ("uncertainty, exp(-s)", "dynamo-20-folded-open-train-fresh", REFUSED, "s1"),
    "stacks": ("rows and stacks of parameters", "dynamo-18-raw-open-train-stirred"),
    "tied-autoencoder": ("tied autoencoder", "dynamo-23-folded-open-train-fresh"),
    "adapters": ("LoRA", "dynamo-18-folded-open-train-fresh"),
    "detached": ("detach, norm", "dynamo-20-folded-whole-train-stirred"),
    "smoothed": ("label smoothing, ignored", "dynamo-23-folded-open-train-fresh"),
    "buffer-turned": ("product with a transposed buffer", "dynamo-23-folded-open-train-fresh"),
    "kernel-repeated": ("blur, buffer", "dynamo-20-folded-whole-train-fresh"),
    "positions-of-gpt-j": ("positions, GPT-J", "dynamo-18-folded-open-train-stirred"),
    "batch-norm-folded": ("batch norms, PReLU", "dynamo-20-folded-whole-train-stirred", REFUSED, "--accept-folded"),
    "attention-bias": ("attention bias, parameter", "dynamo-20-raw-open-train-stirred"),
    "attention-bias-of-places": ("attention bias, T5", "script-18-raw-open-eval-fresh"),
    "attention-slopes": ("attention bias, ALiBi", "script-20-folded-whole-train-fresh"),
    # Rewritten by tools, which drop what the exporter noted.
    "positions-converted": ("nanoGPT, flash", "dynamo-20-folded-open-train-stirred-converter", REFUSED, UNTOLD),
    "positions-converted-trained": ("nanoGPT, flash", "dynamo-20-folded-open-train-stirred-converter", SAME, "unknown",
                                    ["--trainable", "^embedding_1$"], {"embedding_1": "transformer.wpe.weight"}),
    "positions-simplified": ("positions, zeros", "dynamo-20-folded-open-train-stirred-onnxsim", REFUSED, UNTOLD),
    "positions-simplified-trained": ("positions, zeros", "dynamo-18-raw-open-train-stirred-onnxsim", SAME, "unknown",
                                     ["--trainable", "^embedding$"], {"embedding": "table.weight"}),
    "positions-scripted": ("positions, zeros", "script-17-folded-open-train-stirred-onnxsim", REFUSED, UNTOLD),
    "buffer-simplified": ("positions, buffer", "dynamo-18-raw-open-train-stirred-onnxsim"),
    "gates-converted": ("gates of one number", "dynamo-20-folded-open-train-fresh-converter", REFUSED,
                        "that the module shares one: between.0.first"),
    "copies-simplified": ("deep copies", "script-17-raw-open-eval-fresh-onnxsim", UNKNOWN,
                          "read by several layers, and perhaps merged of as many: between.0.layer.weight"),
}


def strip(path):
    """Drops what nobody reads, and the folders of sources."""
    model = onnx.load(path)
    for node in model.graph.node:
        kept = [entry for entry in node.metadata_props if entry.key.rpartition(".")[2] not in UNREAD]
        for entry in kept:
            entry.value = re.sub('File "[^"]*/', 'File "', entry.value)
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    onnx.save(model, path)


def write(name, model, form, verdict=SAME, says="", flags=(), names=None):
    folder = SAMPLE / name
    shutil.rmtree(folder, ignore_errors=True)
    reference.write(MODELS[model], forms.parse(form), model in TOGETHER, folder)
    strip(folder / "model.onnx")
    job = json.loads((folder / "job.json").read_text())
    job["names"] |= names or {}
    job |= {"flags": job["flags"] + list(flags), "verdict": verdict, "says": says}
    (folder / "job.json").write_text(json.dumps(job, indent=1) + "\n")
    if verdict == REFUSED:  # nothing is compared
        for unread in ("reference.safetensors", "data.safetensors"):
            (folder / unread).unlink()
    for path in folder.iterdir():
        path.chmod(0o644)


def main(wanted):
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    for name in wanted or TRIALS:
        write(name, *TRIALS[name])


if __name__ == "__main__":
    main(sys.argv[1:])
