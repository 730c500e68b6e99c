# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What small models share: features of 12 numbers to classes, through whatever stands between."""

import torch
import torch.nn.functional as F
from torch import nn

from batches import CLASSES, WIDTH, classes, numbers, tokens


class Rows(nn.Module):
    """Features of 12 numbers to classes, through whatever stands between."""

    def __init__(self, *between):
        super().__init__()
        self.inner, self.outer = nn.Linear(12, WIDTH), nn.Linear(WIDTH, CLASSES)
        self.between = nn.ModuleList(between)

    def body(self, h):
        for layer in self.between:
            h = layer(h)
        return h

    def score(self, x, y):
        return F.cross_entropy(self.outer(self.body(torch.tanh(self.inner(x)))), y)

    def forward(self, x, y):
        return self.score(x, y)


def rows(model):
    return model, {"x": numbers(12), "y": classes()}


def between(*layers):
    return lambda: rows(Rows(*(layer() for layer in layers)))


def words(model):
    return model, {"tokens": tokens(), "labels": tokens()}


def labelled(model):
    return model, {"tokens": tokens(), "y": classes()}


def images(model):
    return model, {"x": numbers(3, 8, 8), "y": classes()}


class Residual(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, h):
        return h + torch.relu(self.layer(h))
