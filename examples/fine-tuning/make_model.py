# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the model of this example: a GPT-2 that has read the pages of docs/, saved as transformers saves one.

python3 -m venv venv && venv/bin/pip install torch transformers safetensors
venv/bin/python examples/fine-tuning/make_model.py

Two layers of width 48 over bytes; after 800 steps of 16 x 64 bytes the loss is some 2.4. Stored in bf16.
"""

import pathlib

import torch
from transformers import GPT2Config, GPT2LMHeadModel

HERE = pathlib.Path(__file__).parent
STEPS, BATCH, LENGTH = 800, 16, 64


def main():
    torch.manual_seed(1)
    text = "".join(page.read_text() for page in sorted((HERE.parent.parent / "docs").glob("*.md")))
    tokens = torch.tensor(list(text.encode()))
    config = GPT2Config(vocab_size=256, n_positions=LENGTH, n_embd=48, n_layer=2, n_head=4, resid_pdrop=0.0,
                        embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=None, eos_token_id=None)
    model = GPT2LMHeadModel(config)
    adamw = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(adamw, STEPS)
    for step in range(STEPS):
        starts = torch.randint(len(tokens) - LENGTH, (BATCH,))
        batch = torch.stack([tokens[start : start + LENGTH] for start in starts])
        loss = model(input_ids=batch, labels=batch).loss
        adamw.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adamw.step()
        decay.step()
        if (step + 1) % 200 == 0:
            print(f"step {step + 1}: loss {loss.item():.3f}")
    model.to(torch.bfloat16).save_pretrained(HERE / "model")
    (HERE / "model" / "generation_config.json").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
