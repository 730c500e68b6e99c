# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One side of speed_vs_pytorch.sh and of gpu-check.sh: a GPT-2 training step in PyTorch, timed.

python gpt2_pytorch.py CONFIG_FOLDER --steps N --threads N [--device cuda] [--compile]     (needs torch)

Prints the seconds of every step after the first two, one per line. Computes in what the training file says.
"""

import argparse
import json
import pathlib
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["n_embd"]
        self.heads = config["n_head"]
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.attn_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.mlp_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        query, key, value = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.c_attn(self.ln_1(x)).split(width, dim=2)
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.attn_proj(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.mlp_proj(functional.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config["vocab_size"], config["n_embd"])
        self.wpe = nn.Embedding(config["n_positions"], config["n_embd"])
        self.h = nn.ModuleList(Block(config) for _ in range(config["n_layer"]))
        self.ln_f = nn.LayerNorm(config["n_embd"])

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe.weight[: tokens.shape[1]]
        for block in self.h:
            x = block(x)
        return self.ln_f(x) @ self.wte.weight.T


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--compile", action="store_true", help="by torch.compile")
    arguments = parser.parse_args()
    config = json.loads((arguments.folder / "config.json").read_text())
    training = json.loads((arguments.folder / "training.json").read_text())
    torch.set_num_threads(arguments.threads)
    device = torch.device(arguments.device)
    wait = torch.cuda.synchronize if arguments.device == "cuda" else lambda: None
    is_bf16 = training.get("precision", {}).get("compute") == "bf16"
    model = Model(config).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=training["optimizer"]["learning_rate"], fused=True)
    forward = torch.compile(model) if arguments.compile else model
    shape = (training["global_batch"], training["sequence"] + 1)
    for step in range(arguments.steps):
        tokens = torch.randint(config["vocab_size"], shape, device=device)
        wait()
        start = time.perf_counter()
        with torch.autocast(arguments.device, dtype=torch.bfloat16, enabled=is_bf16):
            logits = forward(tokens[:, :-1])
            loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        wait()
        if step >= 2:
            print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
