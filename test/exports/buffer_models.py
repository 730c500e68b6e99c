# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with buffers: in products, in kernels, for positions, beside attention, in norms."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from batches import CLASSES, HEADS, LENGTH, VOCABULARY, WIDTH, classes, numbers
from rows import Rows, between, images, rows, words


class Projected(nn.Module):
    """A product with a buffer, as stored or transposed."""

    def __init__(self, transposed):
        super().__init__()
        self.register_buffer("basis", torch.randn(WIDTH, WIDTH) / 4)
        self.transposed = transposed

    def forward(self, h):
        return h @ (self.basis.t() if self.transposed else self.basis)


class Normalised(Rows):
    """Features less their mean, over their deviation: buffers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.randn(12))
        self.register_buffer("std", torch.rand(12) + 0.5)

    def forward(self, x, y):
        return self.score((x - self.mean) / self.std, y)


class Fourier(Rows):
    """Random features: a buffer's sines and cosines."""

    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", torch.randn(12, 6))

    def forward(self, x, y):
        angles = 2 * math.pi * x @ self.frequencies
        return self.score(torch.cat([angles.sin(), angles.cos()], -1), y)


class Blurred(nn.Module):
    """A fixed kernel, repeated for every channel, before it is strided over."""

    def __init__(self, trained):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 4, 3, padding=1), nn.Linear(4 * 16, CLASSES)
        kernel = torch.outer(torch.tensor([1.0, 2, 1]), torch.tensor([1.0, 2, 1]))[None, None] / 16
        if trained:
            self.kernel = nn.Parameter(kernel)
        else:
            self.register_buffer("kernel", kernel)

    def forward(self, x, y):
        h = torch.relu(self.conv(x))
        h = F.conv2d(h, self.kernel.repeat(4, 1, 1, 1), stride=2, padding=1, groups=4)
        return F.cross_entropy(self.fc(h.flatten(1)), y)


def blurred(trained):
    return Blurred(trained), {"x": numbers(3, 8, 8), "y": classes()}


class ImageNorms(nn.Module):
    """Convolutions with norms behind them; `scale` has a buffer for the mean and deviation of pixels."""

    def __init__(self, norm):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(3, 4, 3, padding=1, bias=False), norm(4)
        self.conv2, self.norm2 = nn.Conv2d(4, 4, 3, padding=1), norm(4)
        self.act1, self.act2 = nn.PReLU(), nn.PReLU()
        self.fc = nn.Linear(4, CLASSES)
        self.register_buffer("pixel_mean", torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1))

    def forward(self, x, y):
        h = self.act1(self.norm1(self.conv1(x - self.pixel_mean)))
        h = h + self.act2(self.norm2(self.conv2(h)))
        return F.cross_entropy(self.fc(h.mean([2, 3])), y)


class Biased(nn.Module):
    """Attention with a learned bias: Swin's table of relative places, T5's buckets, or a parameter as it stands."""

    def __init__(self, kind):
        super().__init__()
        self.embed, self.kind = nn.Embedding(VOCABULARY, WIDTH), kind
        self.qkv, self.out, self.head = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, VOCABULARY)
        places = torch.arange(LENGTH)
        if kind in ("swin", "t5"):
            self.register_buffer("index", places[:, None] - places[None] + LENGTH - 1, persistent=False)
        if kind == "swin":
            self.table = nn.Parameter(torch.zeros(2 * LENGTH - 1, HEADS))
        elif kind == "t5":
            self.table = nn.Embedding(2 * LENGTH - 1, HEADS)
        elif kind == "alibi":
            slopes = torch.tensor([2.0 ** -(i + 1) for i in range(HEADS)])
            self.register_buffer("slopes", -slopes[:, None, None] * (places[:, None] - places[None]).abs())
        else:
            self.bias = nn.Parameter(torch.zeros(1, HEADS, LENGTH, LENGTH))

    def bias_of(self):
        if self.kind == "swin":
            return self.table[self.index.view(-1)].view(LENGTH, LENGTH, HEADS).permute(2, 0, 1)[None]
        if self.kind == "t5":
            return self.table(self.index).permute(2, 0, 1)[None]
        return self.slopes[None] if self.kind == "alibi" else self.bias

    def forward(self, tokens, labels):
        b, t = tokens.shape
        h = self.embed(tokens)
        q, k, v = (part.view(b, t, HEADS, -1).transpose(1, 2) for part in self.qkv(h).chunk(3, -1))
        if self.kind in ("swin", "parameter"):
            attended = F.scaled_dot_product_attention(q, k, v, attn_mask=self.bias_of())
        else:
            attended = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + self.bias_of(), -1) @ v
        h = h + self.out(attended.transpose(1, 2).reshape(b, t, -1))
        return F.cross_entropy(self.head(h).flatten(0, 1), labels.flatten())


class Positions(nn.Module):
    """A table of positions that starts at 0, read by places; sinusoidal ones as a buffer, added or looked up."""

    def __init__(self, kind):
        super().__init__()
        self.embed, self.head, self.kind = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY), kind
        angles = torch.arange(2 * LENGTH)[:, None] / 100 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        table = torch.cat([angles.sin(), angles.cos()], -1)
        if kind == "learned":
            self.table = nn.Embedding(2 * LENGTH, WIDTH)
            nn.init.zeros_(self.table.weight)
        elif kind == "frozen":
            self.table = nn.Embedding.from_pretrained(table)
        else:
            self.register_buffer("embed_positions", table)

    def forward(self, tokens, labels):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        found = self.embed_positions[places] if self.kind == "buffer" else self.table(places)
        return F.cross_entropy(self.head(torch.tanh(self.embed(tokens) + found)).flatten(0, 1), labels.flatten())


class Rotating(nn.Module):
    """GPT-J's: a buffer of sines and cosines, gathered by the positions of the batch."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)
        angles = torch.outer(torch.arange(2 * LENGTH).float(), 1.0 / 100 ** (torch.arange(0, WIDTH, 2) / WIDTH))
        self.register_buffer("embed_positions", torch.cat([angles.sin(), angles.cos()], 1))

    def forward(self, tokens, labels):
        h = self.embed(tokens)
        places = torch.arange(tokens.shape[1])[None].repeat(tokens.shape[0], 1)
        table = self.embed_positions[None].repeat(tokens.shape[0], 1, 1)
        sincos = torch.gather(table, 1, places[..., None].repeat(1, 1, WIDTH))
        sin, cos = (part.repeat_interleave(2, -1) for part in sincos.chunk(2, -1))
        turned = torch.stack((-h[..., 1::2], h[..., ::2]), -1).flatten(-2)
        return F.cross_entropy(self.head(torch.tanh(h * cos + turned * sin)).flatten(0, 1), labels.flatten())


MODELS = {
    "product with a buffer": between(lambda: Projected(False)),
    "product with a transposed buffer": between(lambda: Projected(True)),
    "normalised features": lambda: rows(Normalised()),
    "Fourier features": lambda: rows(Fourier()),
    "blur, buffer": lambda: blurred(False),
    "blur, parameter": lambda: blurred(True),
    "group norms, PReLU": lambda: images(ImageNorms(lambda c: nn.GroupNorm(2, c))),
    "batch norms, PReLU": lambda: images(ImageNorms(nn.BatchNorm2d)),
    "attention bias, Swin": lambda: words(Biased("swin")),
    "attention bias, T5": lambda: words(Biased("t5")),
    "attention bias, parameter": lambda: words(Biased("parameter")),
    "attention bias, ALiBi": lambda: words(Biased("alibi")),
    "positions, zeros": lambda: words(Positions("learned")),
    "positions, frozen": lambda: words(Positions("frozen")),
    "positions, buffer": lambda: words(Positions("buffer")),
    "positions, GPT-J": lambda: words(Rotating()),
}

# What they compute depends on which examples are together in a micro-batch.
TOGETHER = {"batch norms, PReLU"}
