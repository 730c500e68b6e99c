# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of sequences in plain PyTorch, as people write them."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from batches import CLASSES, HEADS, LENGTH, VOCABULARY, WIDTH, classes, tokens, visible


class CausalSelfAttention(nn.Module):  # nanoGPT
    def __init__(self, flash, bias):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH, bias=bias), nn.Linear(WIDTH, WIDTH, bias=bias)
        self.attn_dropout, self.resid_dropout = nn.Dropout(0.1), nn.Dropout(0.1)
        self.flash = flash
        if not flash:
            self.register_buffer("bias", torch.tril(torch.ones(LENGTH, LENGTH)).view(1, 1, LENGTH, LENGTH))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        k = k.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        q = q.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        v = v.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        if self.flash:
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0, is_causal=True)
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            att = self.attn_dropout(F.softmax(att, dim=-1))
            y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


class LayerNorm(nn.Module):
    def __init__(self, ndim, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class NanoBlock(nn.Module):
    def __init__(self, flash, bias):
        super().__init__()
        self.ln_1, self.ln_2 = LayerNorm(WIDTH, bias), LayerNorm(WIDTH, bias)
        self.attn = CausalSelfAttention(flash, bias)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(WIDTH, 4 * WIDTH, bias=bias),
                                      c_proj=nn.Linear(4 * WIDTH, WIDTH, bias=bias)))
        self.gelu, self.dropout = nn.GELU(), nn.Dropout(0.1)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.dropout(self.mlp.c_proj(self.gelu(self.mlp.c_fc(self.ln_2(x)))))


class NanoGpt(nn.Module):
    def __init__(self, flash, bias):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(wte=nn.Embedding(VOCABULARY, WIDTH),
                                              wpe=nn.Embedding(LENGTH, WIDTH), drop=nn.Dropout(0.1),
                                              h=nn.ModuleList([NanoBlock(flash, bias) for _ in range(2)]),
                                              ln_f=LayerNorm(WIDTH, bias)))
        self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, 0, 0.05)

    def forward(self, idx, targets):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
        for block in self.transformer.h:
            x = block(x)
        logits = self.lm_head(self.transformer.ln_f(x))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class SwiGlu(nn.Module):
    """Llama as in Meta's code: complex-free rotary by pairs, SwiGLU, RMS norm; nn.RMSNorm at the end."""

    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(VOCABULARY, WIDTH)
        self.attention_norm, self.ffn_norm, self.norm = RMSNorm(WIDTH), RMSNorm(WIDTH), nn.RMSNorm(WIDTH, eps=1e-6)
        self.wq, self.wk = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH // 2, bias=False)
        self.wv, self.wo = nn.Linear(WIDTH, WIDTH // 2, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.w1, self.w3 = nn.Linear(WIDTH, 48, bias=False), nn.Linear(WIDTH, 48, bias=False)
        self.w2 = nn.Linear(48, WIDTH, bias=False)
        self.output = nn.Linear(WIDTH, VOCABULARY, bias=False)
        freqs = 1.0 / (10000.0 ** (torch.arange(0, WIDTH // HEADS, 2).float() / (WIDTH // HEADS)))
        angles = torch.outer(torch.arange(LENGTH).float(), freqs)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def rotate(self, x):
        even, odd = x.reshape(*x.shape[:-1], -1, 2).unbind(-1)
        cos, sin = self.cos[: x.shape[1], None], self.sin[: x.shape[1], None]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(3)

    def forward(self, tokens, labels):
        b, t = tokens.shape
        h = self.tok_embeddings(tokens)
        x = self.attention_norm(h)
        q = self.rotate(self.wq(x).view(b, t, HEADS, -1))
        k = self.rotate(self.wk(x).view(b, t, HEADS // 2, -1)).repeat_interleave(2, dim=2)
        v = self.wv(x).view(b, t, HEADS // 2, -1).repeat_interleave(2, dim=2)
        mask = torch.full((t, t), float("-inf"), device=h.device).triu(1)
        scores = q.transpose(1, 2) @ k.transpose(1, 2).transpose(2, 3) / math.sqrt(q.shape[-1])
        scores = F.softmax((scores + mask).float(), dim=-1).type_as(q)
        h = h + self.wo((scores @ v.transpose(1, 2)).transpose(1, 2).reshape(b, t, -1))
        x = self.ffn_norm(h)
        h = h + self.w2(F.silu(self.w1(x)) * self.w3(x))
        return F.cross_entropy(self.output(self.norm(h)).flatten(0, 1), labels.flatten())


class Encoder(nn.Module):
    """nn.TransformerEncoder over embeddings and sinusoidal positions; the mean of what is no padding is classified."""

    def __init__(self, norm_first=False, activation="relu", padding=True):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH, padding_idx=0 if padding else None)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 64, 0.1, activation, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head, self.padding = nn.Linear(WIDTH, 5), padding
        angles = torch.arange(LENGTH)[:, None] * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
        self.register_buffer("pe", torch.stack((angles.sin(), angles.cos()), -1).flatten(1)[None])

    def forward(self, tokens, y):
        x = self.embed(tokens) * math.sqrt(WIDTH) + self.pe[:, : tokens.shape[1]]
        hidden = tokens == 0 if self.padding else None
        x = self.encoder(x, src_key_padding_mask=hidden)
        if self.padding:
            kept = (~hidden).unsqueeze(-1).float()
            x = (x * kept).sum(1) / kept.sum(1)
        else:
            x = x.mean(1)
        return F.cross_entropy(self.head(x), y)


class CausalEncoder(nn.Module):
    """The tutorial's language model: nn.TransformerEncoder with a square mask."""

    def __init__(self):
        super().__init__()
        self.embed, self.pos = nn.Embedding(VOCABULARY, WIDTH), nn.Parameter(torch.randn(1, LENGTH, WIDTH) * 0.02)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 64, 0.1, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens, labels):
        t = tokens.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        x = self.encoder(self.embed(tokens) + self.pos[:, :t], mask=mask, is_causal=True)
        return F.cross_entropy(self.head(x).transpose(1, 2), labels)


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.src, self.tgt = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(VOCABULARY, WIDTH)
        self.transformer = nn.Transformer(WIDTH, HEADS, 1, 1, 48, 0.1, batch_first=True)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, source, target, labels):
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        x = self.transformer(self.src(source), self.tgt(target), tgt_mask=mask, tgt_is_causal=True)
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


class Mha(nn.Module):
    """nn.MultiheadAttention by itself, with weights returned, LayerNorm without bias, GELU (tanh), and tied by hand."""

    def __init__(self, need_weights):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, bias=False), nn.LayerNorm(WIDTH, elementwise_affine=False)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)
        self.act, self.need_weights = nn.GELU(approximate="tanh"), need_weights

    def forward(self, tokens, labels):
        x = self.embed(tokens)
        h = self.norm1(x)
        mask = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=self.need_weights)[0]
        x = x + self.down(self.act(self.up(self.norm2(x))))
        return F.cross_entropy((x @ self.embed.weight.t()).flatten(0, 1), labels.flatten())


class TextCnn(nn.Module):
    """Embeddings, Conv1d of three widths, max over time, concatenated."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(WIDTH, 8, k) for k in (3, 4, 5)])
        self.fc = nn.Linear(24, 5)

    def forward(self, tokens, y):
        x = self.embed(tokens).transpose(1, 2)
        x = torch.cat([F.relu(conv(x)).max(dim=2).values for conv in self.convs], 1)
        return F.cross_entropy(self.fc(x), y)


class MeanBag(nn.Module):
    """The classifier of the text tutorials: mean of embeddings."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.fc = nn.Sequential(nn.Linear(WIDTH, 16), nn.LeakyReLU(), nn.Linear(16, CLASSES))

    def forward(self, tokens, y):
        return F.nll_loss(F.log_softmax(self.fc(self.embed(tokens).mean(1)), -1), y)


class LastToken(nn.Module):
    """A classifier that reads the state of each sequence's last token."""

    def __init__(self):
        super().__init__()
        self.embed, self.up, self.fc = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, tokens, last, y):
        h = torch.tanh(self.up(self.embed(tokens)))
        return F.cross_entropy(self.fc(h[torch.arange(h.shape[0]), last]), y)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.fc = nn.Embedding(VOCABULARY, 8), nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 5)

    def forward(self, tokens, y):
        return F.cross_entropy(self.fc(self.rnn(self.embed(tokens))[0][:, -1]), y)


def nanogpt(flash, bias):
    targets = tokens()
    targets[1::3, 10:] = -1
    return NanoGpt(flash, bias), {"idx": tokens(), "targets": targets}


def encoder(padding, **settings):
    ids = tokens().clamp(min=1)
    return Encoder(padding=padding, **settings), {"tokens": ids * visible() if padding else ids, "y": classes()}


def last_token():
    return LastToken(), {"tokens": tokens(), "last": visible().sum(1) - 1, "y": classes()}


def causal(model):
    return model, {"tokens": tokens(), "labels": tokens()}


def classifier(model, length=LENGTH):
    return model, {"tokens": tokens(length), "y": classes()}


MODELS = {
    "nanoGPT, flash": lambda: nanogpt(flash=True, bias=True),
    "nanoGPT, by hand, no bias": lambda: nanogpt(flash=False, bias=False),
    "Llama by hand (SwiGLU)": lambda: causal(SwiGlu()),
    "nn.TransformerEncoder": lambda: encoder(padding=True),
    "nn.TransformerEncoder, norm first": lambda: encoder(padding=False, norm_first=True, activation="gelu"),
    "nn.TransformerEncoder, causal": lambda: causal(CausalEncoder()),
    "nn.Transformer": lambda: (Seq2Seq(), {"source": tokens(), "target": tokens(), "labels": tokens()}),
    "nn.MultiheadAttention": lambda: causal(Mha(need_weights=False)),
    "nn.MultiheadAttention, weights": lambda: causal(Mha(need_weights=True)),
    "text CNN": lambda: classifier(TextCnn()),
    "mean of embeddings": lambda: classifier(MeanBag()),
    "last token": last_token,
    "nn.LSTM": lambda: classifier(Lstm(), 6),
}
