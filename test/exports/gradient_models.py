# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of where gradients stop, and of losses that ONNX has no word for."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from batches import CLASSES, WIDTH
from rows import Residual, Rows, between, rows


class Lora(nn.Module):
    """A frozen layer and what is learned beside it, which starts at 0."""

    def __init__(self, rank=2):
        super().__init__()
        self.base = nn.Linear(WIDTH, WIDTH).requires_grad_(False)
        self.lora_A, self.lora_B = nn.Linear(WIDTH, rank, bias=False), nn.Linear(rank, WIDTH, bias=False)
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, h):
        return torch.tanh(self.base(h) + 2.0 * self.lora_B(self.lora_A(h)))


def frozen_backbone():
    model, feeds = rows(Rows(Residual(nn.Linear(WIDTH, WIDTH))))
    model.inner.requires_grad_(False)
    return model, feeds


class Detached(Rows):
    """Where gradients stop: a branch, a target, a straight-through estimate, a parameter, a copy."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.side = kind, nn.Linear(WIDTH, WIDTH)
        self.scale = nn.Parameter(torch.rand(WIDTH) + 0.5)

    def forward(self, x, y):
        h = torch.tanh(self.inner(x))
        more = 0
        if self.kind == "branch":
            h = h + self.side(h.detach())
        elif self.kind == "target":
            more = F.mse_loss(self.side(h), h.detach())
        elif self.kind == "straight through":
            h = h + (torch.relu(h) - h).detach()
        elif self.kind == "parameter":
            h = self.side(h) * self.scale.detach()
        elif self.kind == "copy":
            h = h + self.side(h.detach().clone())
        elif self.kind == "square":
            h = self.side(h) * self.side(h).detach()
        elif self.kind == "norm":
            h = self.side(h) / h.norm(dim=-1, keepdim=True).detach()
        else:
            with torch.no_grad():
                gate = torch.sigmoid(self.side(h))
            h = h * gate
        return F.cross_entropy(self.outer(h), y) + more


class Smoothed(Rows):
    def __init__(self, **settings):
        super().__init__()
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.1, **settings)

    def forward(self, x, y):
        return self.loss(self.outer(torch.tanh(self.inner(x))), y)


MODELS = {
    "LoRA": between(Lora, Lora),
    "frozen backbone": frozen_backbone,
    "detach, branch": lambda: rows(Detached("branch")),
    "detach, target": lambda: rows(Detached("target")),
    "detach, straight through": lambda: rows(Detached("straight through")),
    "detach, parameter": lambda: rows(Detached("parameter")),
    "detach, copy": lambda: rows(Detached("copy")),
    "detach, square": lambda: rows(Detached("square")),
    "detach, norm": lambda: rows(Detached("norm")),
    "no_grad": lambda: rows(Detached("no_grad")),
    "label smoothing": lambda: rows(Smoothed()),
    "label smoothing, ignored": lambda: rows(Smoothed(ignore_index=2)),
    "label smoothing, weights": lambda: rows(Smoothed(weight=torch.arange(CLASSES) + 1.0)),
}
