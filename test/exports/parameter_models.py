# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of what parameters may be: equal at the start, shared, scalars, copies, or parts of others."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from batches import CLASSES, LENGTH, VOCABULARY, WIDTH, numbers
from rows import Residual, Rows, between, labelled, rows, words


def copies(count):
    layer = Residual(nn.Linear(WIDTH, WIDTH))
    return rows(Rows(*(copy.deepcopy(layer) for _ in range(count))))


class LayerScale(nn.Module):
    """CaiT's and ConvNeXt's: each branch has a scale of its own, all alike at the start."""

    def __init__(self, start, branches=2):
        super().__init__()
        self.branches = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(branches))
        self.gammas = nn.ParameterList(torch.full((WIDTH,), start) for _ in range(branches))

    def forward(self, h):
        for branch, gamma in zip(self.branches, self.gammas):
            h = h + gamma * torch.tanh(branch(h))
        return h


class ReZero(nn.Module):
    """A gate for each branch: one number that starts at 0."""

    def __init__(self, shape=()):
        super().__init__()
        self.branches = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(2))
        self.first, self.second = nn.Parameter(torch.zeros(shape)), nn.Parameter(torch.zeros(shape))

    def forward(self, h):
        h = h + self.first * torch.tanh(self.branches[0](h))
        return h + self.second * torch.tanh(self.branches[1](h))


class Affine(nn.Module):
    """ResMLP's: a scale of ones and a shift of zeros, by hand."""

    def __init__(self):
        super().__init__()
        self.alpha, self.beta = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH))

    def forward(self, h):
        return self.alpha * h + self.beta


class Centred(nn.Module):
    """Gemma's norm, (1 + weight), whose weight starts at 0."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, h):
        return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * (1.0 + self.weight)


class Temperature(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(start))

    def forward(self, h):
        return h * self.log_scale.exp()


class Uncertain(Rows):
    """Kendall's weights of two losses: exp(-s) and s, of scalars that start at 0."""

    def __init__(self):
        super().__init__()
        self.value = nn.Linear(WIDTH, 3)
        self.s1, self.s2 = nn.Parameter(torch.zeros(())), nn.Parameter(torch.zeros(()))

    def forward(self, x, y, t):
        h = torch.tanh(self.inner(x))
        words, squares = F.cross_entropy(self.outer(h), y), F.mse_loss(self.value(h), t)
        return torch.exp(-self.s1) * words + self.s1 + torch.exp(-self.s2) * squares + self.s2


def uncertain():
    model, feeds = rows(Uncertain())
    return model, feeds | {"t": numbers(3)}


class Mamba(nn.Module):
    """Two layers of a selective state space, unrolled: A_log is alike in both, D all ones."""

    class Mixer(nn.Module):
        STATES = 4

        def __init__(self):
            super().__init__()
            self.in_proj, self.x_proj = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, 2 * self.STATES, bias=False)
            self.dt_proj, self.out_proj = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)
            self.A_log = nn.Parameter(torch.log(torch.arange(1.0, self.STATES + 1).repeat(WIDTH, 1)))
            self.D = nn.Parameter(torch.ones(WIDTH))

        def forward(self, x):
            u = F.silu(self.in_proj(x))
            b, c = self.x_proj(u).chunk(2, -1)
            delta = F.softplus(self.dt_proj(u))
            decay = torch.exp(delta.unsqueeze(-1) * -torch.exp(self.A_log))
            state, out = torch.zeros_like(decay[:, 0]), []
            for t in range(x.shape[1]):
                state = decay[:, t] * state + (delta[:, t] * u[:, t]).unsqueeze(-1) * b[:, t].unsqueeze(1)
                out.append((state * c[:, t].unsqueeze(1)).sum(-1))
            return self.out_proj(torch.stack(out, 1) + u * self.D)

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(self.Mixer() for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, labels):
        h = self.embed(tokens)
        for layer, norm in zip(self.layers, self.norms):
            h = h + layer(norm(h))
        return F.cross_entropy(self.head(h).flatten(0, 1), labels.flatten())


class Tied(nn.Module):
    """An autoencoder that decodes with its encoder's weights, transposed."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH, 12) / 4)
        self.inner_bias, self.outer_bias = nn.Parameter(torch.zeros(WIDTH)), nn.Parameter(torch.zeros(12))

    def forward(self, x):
        h = torch.tanh(F.linear(x, self.weight, self.inner_bias))
        return F.mse_loss(F.linear(h, self.weight.t(), self.outer_bias), x)


class WeightNorm(Rows):
    def __init__(self):
        super().__init__(Residual(nn.utils.parametrizations.weight_norm(nn.Linear(WIDTH, WIDTH))))


class Parts(nn.Module):
    """Rows, columns and stacks of parameters."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(4, WIDTH) / 4)
        self.a, self.b = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.ones(WIDTH))

    def forward(self, h):
        h = h * self.table[0] + self.table[2]
        return h * torch.stack([self.a, self.b]).sum(0)


class Tokens(nn.Module):
    """Two tokens of zeros before the sequence, and a table of positions for all (DeiT)."""

    def __init__(self):
        super().__init__()
        self.embed, self.fc = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, CLASSES)
        self.cls_token, self.dist_token = (nn.Parameter(torch.zeros(1, 1, WIDTH)) for _ in range(2))
        self.pos_embed = nn.Parameter(torch.zeros(1, LENGTH + 2, WIDTH))
        self.mix, self.norm = nn.Linear(LENGTH + 2, LENGTH + 2), nn.LayerNorm(WIDTH)

    def forward(self, tokens, y):
        n = tokens.shape[0]
        h = torch.cat([self.cls_token.expand(n, -1, -1), self.dist_token.expand(n, -1, -1), self.embed(tokens)], 1)
        h = h + self.pos_embed
        h = self.norm(h + torch.tanh(self.mix(h.transpose(1, 2)).transpose(1, 2)))
        return F.cross_entropy((self.fc(h[:, 0]) + self.fc(h[:, 1])) / 2, y)


MODELS = {
    "deep copies": lambda: copies(3),
    "layer scales, 1e-5": between(lambda: LayerScale(1e-5)),
    "layer scales, ones": between(lambda: LayerScale(1.0)),
    "gates of one number": between(ReZero),
    "gates of zeros": between(lambda: ReZero((WIDTH,))),
    "affine ones and zeros": between(Affine, Affine),
    "layer norms": between(lambda: nn.LayerNorm(WIDTH), lambda: nn.LayerNorm(WIDTH), lambda: nn.RMSNorm(WIDTH)),
    "norms of 1 + weight": between(Centred, Centred),
    "temperatures": between(lambda: Temperature(1.0), lambda: Temperature(0.0)),
    "uncertainty, exp(-s)": uncertain,
    "linear and batch norm": between(lambda: nn.Linear(WIDTH, WIDTH), lambda: nn.BatchNorm1d(WIDTH)),
    "Mamba": lambda: words(Mamba()),
    "tied autoencoder": lambda: (Tied(), {"x": numbers(12)}),
    "weight norm": lambda: rows(WeightNorm()),
    "rows and stacks of parameters": between(Parts),
    "class tokens": lambda: labelled(Tokens()),
}

# What they compute depends on which examples are together in a micro-batch.
TOGETHER = {"linear and batch norm"}
