# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a module becomes a file: exporter, options, and what rewrites the file afterwards.

A form has a name of the parts below, "dynamo-18-folded-open-train-fresh-onnxsim":

  exporter  "script": TorchScript's; "dynamo": the one on torch.export
  opset     the operator set
  folding   "folded": with the exporter's constant folding or optimiser; "raw": without
  batch     "open", or "whole": all sizes fixed
  mode      "train" or "eval": the mode of the module, and of the export
  start     "fresh": parameters as modules make them; "stirred": moved a little, so that no two are alike
  rewrite   none, "onnxsim", "converter" (onnx.version_converter, to the next operator set), "external" (data beside the
            file), "bare" (no metadata)
"""

import contextlib
import dataclasses
import itertools
import os

import onnx
import torch

OPSETS = {"script": ("13", "17", "18", "20"), "dynamo": ("18", "20", "23")}
AXES = {"exporter": ("dynamo", "script"), "opset": (), "folding": ("folded", "raw"), "batch": ("open", "whole"),
        "mode": ("train", "eval"), "start": ("fresh", "stirred"),
        "rewrite": ("", "", "", "onnxsim", "converter", "external", "bare")}


@dataclasses.dataclass(frozen=True)
class Form:
    exporter: str
    opset: str
    folding: str = "folded"
    batch: str = "open"
    mode: str = "train"
    start: str = "fresh"
    rewrite: str = ""

    def __str__(self):
        return "-".join(part for part in dataclasses.astuple(self) if part)

    @property
    def setting(self):
        """What PyTorch's numbers depend on."""
        return f"{self.mode}-{self.start}"


def parse(name):
    form = Form(*name.split("-"))
    for axis, value in dataclasses.asdict(form).items():
        allowed = OPSETS.get(form.exporter, ()) if axis == "opset" else AXES[axis]
        if value not in allowed:
            raise ValueError(f"{name}: {axis} must be one of {', '.join(filter(None, allowed))}, is \"{value}\"")
    return form


def drawn(random):
    exporter = random.choice(AXES["exporter"])
    return Form(exporter, random.choice(OPSETS[exporter]), *(random.choice(AXES[axis]) for axis in list(AXES)[2:]))


def every():
    for exporter, opsets in OPSETS.items():
        rest = (dict.fromkeys(AXES[axis]) for axis in list(AXES)[2:])
        yield from (Form(exporter, *parts) for parts in itertools.product(opsets, *rest))


@contextlib.contextmanager
def silence():
    """Exporters print graphs, past Python's own streams."""
    kept = [os.dup(stream) for stream in (1, 2)]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        try:
            for stream in (1, 2):
                os.dup2(nowhere.fileno(), stream)
            yield
        finally:
            for stream, own in zip((1, 2), kept):
                os.dup2(own, stream)
                os.close(own)


def export(model, batch, form, path):
    """Writes the file; raises whatever the exporter cannot do."""
    first = path.with_suffix(".first.onnx") if form.rewrite else path
    options = {"output_names": ["loss"], "opset_version": int(form.opset), "external_data": form.rewrite == "external"}
    is_open = form.batch == "open"
    if form.exporter == "script":
        mode = torch.onnx.TrainingMode.TRAINING if form.mode == "train" else torch.onnx.TrainingMode.EVAL
        del options["external_data"]
        options |= {"input_names": list(batch), "training": mode, "do_constant_folding": form.folding == "folded"}
        options |= {"dynamic_axes": {key: {0: "batch"} for key in batch}} if is_open else {}
    else:
        options |= {"kwargs": batch, "optimize": form.folding == "folded"}
        options |= {"dynamic_shapes": {key: {0: torch.export.Dim("batch", min=2)} for key in batch}} if is_open else {}
    with silence():
        torch.onnx.export(model, tuple(batch.values()) if form.exporter == "script" else (), str(first),
                          dynamo=form.exporter == "dynamo", **options)
        if form.rewrite:
            rewrite(first, form, path)
            first.unlink()


def rewrite(first, form, path):
    if form.rewrite == "external":
        onnx.save(onnx.load(first), path, save_as_external_data=True, location=path.name + ".data", size_threshold=0)
        return
    model = onnx.load(first)
    if form.rewrite == "onnxsim":
        import onnxsim

        model, _ = onnxsim.simplify(model)
    elif form.rewrite == "converter":
        from onnx import version_converter

        model = version_converter.convert_version(model, {"13": 17, "17": 18, "18": 19, "20": 21, "23": 22}[form.opset])
    else:
        bare(model)
    onnx.save(model, path)


def bare(model):
    graph = model.graph
    for holder in (model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        del holder.metadata_props[:]
