# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch computes of a model, written as the folder of a trial (judge.py)."""

import json

import torch
from safetensors.torch import save_file
from torch import nn

import forms
from batches import BATCH
from judge import BETAS, CLIP, DECAY, EPSILON, RATE, STEPS

NORMS = nn.modules.batchnorm._BatchNorm


def made(make, start):
    """The model and its examples; the same ones every time."""
    torch.manual_seed(7)
    model, feeds = make()
    if start == "stirred":  # far enough from its start that every gradient says something
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.05 * torch.randn_like(parameter))
    return model.train(), feeds


def rows(feeds, step):
    return {key: value[step * BATCH:(step + 1) * BATCH] for key, value in feeds.items()}


def train(model, feeds, mode, folder):
    """Losses, first gradients and last parameters, without dropout; in training mode batch norms normalise with the
    batch."""
    for module in model.eval().modules():
        if isinstance(module, NORMS) and mode == "train":
            module.train()
    named = {key: p for key, p in model.named_parameters() if p.requires_grad}
    groups = [{"params": [p for p in named.values() if (p.dim() > 1) == decays], "weight_decay": DECAY * decays}
              for decays in (True, False)]
    adamw = torch.optim.AdamW([group for group in groups if group["params"]], lr=RATE, betas=BETAS, eps=EPSILON)
    out, losses = {}, []
    for step in range(STEPS):
        adamw.zero_grad()
        loss = model(**rows(feeds, step))
        loss.backward()
        for p in named.values():  # some share their memory (those of a stack), and would be clipped twice
            p.grad = None if p.grad is None else p.grad.clone()
        if step == 0:
            out |= {"gradient/" + key: p.grad.clone() for key, p in named.items() if p.grad is not None}
        losses.append(loss.detach())
        nn.utils.clip_grad_norm_(named.values(), CLIP, foreach=False)
        adamw.step()
    out |= {"trained/" + key: p.detach() for key, p in model.named_parameters()} | {"losses": torch.stack(losses)}
    save_file({key: value.contiguous().clone() for key, value in out.items()}, folder / "reference.safetensors")
    save_file({key: value.contiguous().clone() for key, value in feeds.items()}, folder / "data.safetensors")


def flags(model, form):
    """What a file cannot hold, as a reader of docs/onnx.md would say it."""
    if any(isinstance(module, NORMS) for module in model.modules()):
        yield from ("--bn-stats", "torch")
    for key, parameter in model.named_parameters(remove_duplicate=False):
        if not parameter.requires_grad:
            yield from ("--freeze", f"^{key.replace('.', '[.]')}$")
    for key, module in model.named_modules():
        if form.exporter == "script" and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            yield from ("--padding", f"{key}.weight={module.padding_idx}")


def job(model, form, is_together):
    """`is_together`: what it computes depends on which examples are together in a micro-batch."""
    state, first = model.state_dict(keep_vars=True), {}
    names = {key: first.setdefault(id(value), key) for key, value in state.items()}
    parts = 1 if form.batch == "whole" or is_together else 2
    return {"flags": list(flags(model, form)), "micro_batch": BATCH // parts, "micro_batches": parts,
            "names": {key: other for key, other in names.items() if key != other}, "state": list(state)}


def write(make, form, is_together, folder):
    """Raises whatever the exporter or the rewriter cannot do."""
    folder.mkdir(parents=True, exist_ok=True)
    model, feeds = made(make, form.start)
    forms.export(model.train(form.mode == "train"), rows(feeds, 0), form, folder / "model.onnx")
    (folder / "job.json").write_text(json.dumps(job(model, form, is_together), indent=1) + "\n")
    train(*made(make, form.start), form.mode, folder)
