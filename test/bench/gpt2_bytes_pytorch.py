# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains examples/gpt2-bytes in PyTorch: the curve to compare with.

python test/bench/gpt2_bytes_pytorch.py [--steps N] [--data FOLDER]     (needs torch, transformers)

The same model, batch, optimizer, schedule, clipping and split; sequences are drawn in another order.
Prints JSON lines: step, loss, norm, learning rate, seconds so far; at the end the validation loss.
"""

import argparse
import json
import math
import pathlib
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "gpt2-bytes"


def read_bytes(path):
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return torch.frombuffer(bytearray(b"".join(p.read_bytes() for p in files)), dtype=torch.uint8).long()


def learning_rate(training, step):
    """Linear warm-up, then half a cosine down to min_ratio at the last step."""
    largest, schedule = training["optimizer"]["learning_rate"], training["schedule"]
    if step <= schedule["warmup"]:
        return largest * step / schedule["warmup"]
    done = (step - schedule["warmup"]) / (training["steps"] - schedule["warmup"])
    return largest * (schedule["min_ratio"] + (1 - schedule["min_ratio"]) * 0.5 * (1 + math.cos(math.pi * done)))


def loss_of(model, tokens, labels):
    logits = model(input_ids=tokens).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def validate(model, data, length):
    starts = range(0, len(data) - length, length)
    with torch.no_grad():
        losses = [loss_of(model, data[None, i:i + length], data[None, i + 1:i + length + 1]).item() for i in starts]
    return sum(losses) / len(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    parser.add_argument("--data", type=pathlib.Path, default="/usr/share/common-licenses")
    arguments = parser.parse_args()
    training = json.loads((EXAMPLE / "training.json").read_text())
    torch.manual_seed(training["seed"])
    model = GPT2LMHeadModel(GPT2Config(**json.loads((EXAMPLE / "config.json").read_text())))
    settings = training["optimizer"]
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    adamw = torch.optim.AdamW([dict(params=matrices, weight_decay=settings["weight_decay"]),
                               dict(params=vectors, weight_decay=0.0)],
                              betas=settings["betas"], eps=settings["epsilon"])
    data, length = read_bytes(arguments.data), training["sequence"]
    held_out = int(len(data) * training["validation"]["fraction"])
    train, validation = data[:-held_out], data[-held_out:]
    began = time.time()
    for step in range(1, (arguments.steps or training["steps"]) + 1):
        starts = torch.randint((len(train) - 1) // length, (training["global_batch"],)) * length
        rows = torch.stack([train[i:i + length + 1] for i in starts.tolist()])
        for group in adamw.param_groups:
            group["lr"] = learning_rate(training, step)
        adamw.zero_grad()
        loss = loss_of(model, rows[:, :-1], rows[:, 1:])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), training["clip"])
        adamw.step()
        print(json.dumps(dict(step=step, loss=loss.item(), norm=norm.item(), learning_rate=adamw.param_groups[0]["lr"],
                              seconds=time.time() - began)), flush=True)
    print(json.dumps(dict(validation_loss=validate(model, validation, length))))


if __name__ == "__main__":
    main()
