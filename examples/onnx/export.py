# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes decoder.onnx: a small decoder over bytes in plain PyTorch, which has read the pages of docs/.

python3 -m venv venv && venv/bin/pip install torch onnx onnxscript
venv/bin/python examples/onnx/export.py

Two layers of width 48 with RMS norms, rotary positions, grouped heads and gated units; the embedding is the head, too.
After 600 steps of 16 x 64 bytes the loss is some 2.3.
"""

import pathlib

import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).parent
STEPS, BATCH, LENGTH = 600, 16, 64
WIDTH, LAYERS, HEADS, GROUPS, INNER = 48, 2, 4, 2, 128
SIZE = WIDTH // HEADS


def turned(x):
    """Queries or keys (batch, heads, length, size), turned by their positions."""
    half = SIZE // 2
    frequencies = 10000.0 ** (-torch.arange(half).float() / half)
    angles = torch.arange(LENGTH).float()[:, None] * frequencies
    cosine, sine = torch.cat((angles, angles), 1).cos(), torch.cat((angles, angles), 1).sin()
    return x * cosine + torch.cat((-x[..., half:], x[..., :half]), -1) * sine


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.norm = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.query, self.out = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.key, self.value = (nn.Linear(WIDTH, GROUPS * SIZE, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, h):
        x = self.attention_norm(h)
        query, key, value = (part(x).unflatten(-1, (-1, SIZE)).transpose(1, 2)
                             for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(turned(query), turned(key), value, is_causal=True,
                                                        enable_gqa=True)
        h = h + self.out(mixed.transpose(1, 2).flatten(-2))
        x = self.norm(h)
        return h + self.down(functional.silu(self.gate(x)) * self.up(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(256, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH)

    def forward(self, tokens):
        h = self.embedding(tokens)
        for layer in self.layers:
            h = layer(h)
        return self.norm(h) @ self.embedding.weight.T


class Scored(Decoder):
    """The decoder with its loss, which is what Windlass trains; parameters keep the decoder's names."""

    def forward(self, tokens, labels):
        return functional.cross_entropy(super().forward(tokens).flatten(0, 1), labels.flatten())


def main():
    torch.manual_seed(1)
    text = "".join(page.read_text() for page in sorted((HERE.parent.parent / "docs").glob("*.md")))
    data = torch.tensor(list(text.encode()))
    model = Scored()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter.normal_(std=0.05)
    adamw = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(adamw, STEPS)
    for step in range(STEPS):
        starts = torch.randint(len(data) - LENGTH - 1, (BATCH,))
        batch = torch.stack([data[start : start + LENGTH + 1] for start in starts])
        loss = model(batch[:, :-1], batch[:, 1:])
        adamw.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adamw.step()
        decay.step()
        if (step + 1) % 200 == 0:
            print(f"step {step + 1}: loss {loss.item():.3f}")
    feeds = dict(tokens=batch[:, :-1].contiguous(), labels=batch[:, 1:].contiguous())
    torch.onnx.export(model.eval(), (), HERE / "decoder.onnx", kwargs=feeds, dynamo=True, opset_version=20,
                      external_data=False, output_names=["loss"],
                      dynamic_shapes=dict(tokens={0: "batch"}, labels={0: "batch"}))


if __name__ == "__main__":
    main()
