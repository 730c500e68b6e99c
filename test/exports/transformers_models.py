# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers with the loss that they compute from labels."""

import torch
import transformers
from torch import nn

from batches import CLASSES, HEADS, LENGTH, VOCABULARY, WIDTH, classes, numbers, partly_ignored, tokens, visible

DECODER = dict(hidden_size=WIDTH, intermediate_size=48, num_hidden_layers=2, num_attention_heads=HEADS,
               num_key_value_heads=2, max_position_embeddings=32, vocab_size=VOCABULARY)
PATCHES = dict(image_size=16, patch_size=8)
ENCODER = dict(hidden_size=WIDTH, intermediate_size=48, num_hidden_layers=2, num_attention_heads=HEADS,
               num_labels=CLASSES)


class Scored(nn.Module):
    """Returns what the model calls its loss. Exporters take the inputs' names from `forward`, so there is one for each
    set of inputs."""

    def __init__(self, model):
        super().__init__()
        self.model = model


class Tokens(Scored):
    def forward(self, input_ids, labels):
        return self.model(input_ids=input_ids, labels=labels).loss


class MaskedTokens(Scored):
    def forward(self, input_ids, attention_mask, labels):
        return self.model(input_ids=input_ids, attention_mask=attention_mask, labels=labels).loss


class PlacedTokens(Scored):
    def forward(self, input_ids, position_ids, labels):
        mask = torch.ones_like(input_ids)  # without one transformers looks for packed sequences
        return self.model(input_ids=input_ids, attention_mask=mask, position_ids=position_ids, labels=labels).loss


class Images(Scored):
    def forward(self, pixel_values, labels):
        return self.model(pixel_values=pixel_values, labels=labels).loss


class Alone(Scored):
    """Tokens that are their own labels."""

    def forward(self, input_ids):
        return self.model(input_ids=input_ids, labels=input_ids).loss


def made(family, config, attention, **settings):
    settings = getattr(transformers, config)(**settings)
    settings._attn_implementation = attention
    settings.use_cache = False
    return getattr(transformers, family)(settings)


def causal(family, attention="sdpa", wrapper=Tokens, **settings):
    head = "GPT2LMHeadModel" if family == "GPT2" else family + "ForCausalLM"
    model = wrapper(made(head, family + "Config", attention, **settings))
    feeds = {"input_ids": tokens()}
    if wrapper is Alone:
        return model, feeds
    if wrapper is MaskedTokens:
        feeds["attention_mask"] = visible()
    if wrapper is PlacedTokens:
        feeds["position_ids"] = tokens(bound=32)
    feeds["labels"] = partly_ignored(feeds["input_ids"], 0.3)
    return model, feeds


def gpt2(attention="sdpa", wrapper=Tokens):
    return causal("GPT2", attention, wrapper, n_embd=WIDTH, n_layer=2, n_head=HEADS, n_positions=LENGTH,
                  vocab_size=VOCABULARY)


def decoder(family, attention="sdpa", wrapper=Tokens, **settings):
    return causal(family, attention, wrapper, **(DECODER | settings))


def bert(head, attention="sdpa", wrapper=MaskedTokens, family="Bert", **settings):
    model = wrapper(made(family + head, family + "Config", attention, vocab_size=VOCABULARY, max_position_embeddings=32,
                         **(ENCODER | settings)))
    feeds = {"input_ids": tokens().clamp(min=1)}
    if wrapper is MaskedTokens:
        feeds["attention_mask"] = visible()
        feeds["input_ids"] = feeds["input_ids"] * feeds["attention_mask"]
    feeds["labels"] = {"ForMaskedLM": lambda: partly_ignored(tokens(), 0.8),
                       "ForTokenClassification": lambda: partly_ignored(tokens(bound=CLASSES), 0.3),
                       "ForSequenceClassification": classes}[head]()
    return model, feeds


def vit(attention="sdpa", family="ViT", **settings):
    model = made(family + "ForImageClassification", family + "Config", attention, **(PATCHES | ENCODER | settings))
    return Images(model), {"pixel_values": numbers(3, 16, 16), "labels": classes()}


def pyramid(family, **settings):
    """Image models that say their sizes layer by layer."""
    model = made(family + "ForImageClassification", family + "Config", "eager", image_size=16, num_labels=CLASSES, **settings)
    return Images(model), {"pixel_values": numbers(3, 16, 16), "labels": classes()}


def t5(**settings):
    model = made("T5ForConditionalGeneration", "T5Config", "eager", d_model=WIDTH, d_kv=WIDTH // HEADS, d_ff=24,
                 num_layers=1, num_heads=HEADS, vocab_size=VOCABULARY, relative_attention_num_buckets=8,
                 decoder_start_token_id=0, **settings)
    return MaskedTokens(model), {"input_ids": tokens(), "attention_mask": visible(), "labels": tokens()}


MODELS = {
    "GPT-2": gpt2,
    "GPT-2, mask": lambda: gpt2(wrapper=MaskedTokens),
    "GPT-2, eager, mask": lambda: gpt2("eager", MaskedTokens),
    "GPT-2, tokens are labels": lambda: gpt2(wrapper=Alone),
    "Llama": lambda: decoder("Llama"),
    "Llama, mask": lambda: decoder("Llama", wrapper=MaskedTokens),
    "Llama, positions": lambda: decoder("Llama", wrapper=PlacedTokens),
    "Llama, eager, mask": lambda: decoder("Llama", "eager", MaskedTokens),
    "Llama, tied": lambda: decoder("Llama", tie_word_embeddings=True),
    "Mistral, window": lambda: decoder("Mistral", sliding_window=6),
    "Qwen2": lambda: decoder("Qwen2"),
    "Qwen2, mask": lambda: decoder("Qwen2", wrapper=MaskedTokens),
    "Qwen3": lambda: decoder("Qwen3", head_dim=8),
    "BERT, masked": lambda: bert("ForMaskedLM"),
    "BERT, masked, eager": lambda: bert("ForMaskedLM", "eager"),
    "BERT, sequences": lambda: bert("ForSequenceClassification"),
    "BERT, sequences, no mask": lambda: bert("ForSequenceClassification", wrapper=Tokens),
    "BERT, tokens": lambda: bert("ForTokenClassification"),
    "RoBERTa, sequences": lambda: bert("ForSequenceClassification", family="Roberta"),
    "ViT": vit,
    "ViT, eager": lambda: vit("eager"),
    "BERT, masked, untied": lambda: bert("ForMaskedLM", tie_word_embeddings=False),
    "ELECTRA, sequences": lambda: bert("ForSequenceClassification", family="Electra", embedding_size=WIDTH),
    "ALBERT, sequences": lambda: bert("ForSequenceClassification", family="Albert", embedding_size=8),
    "GPT-J": lambda: causal("GPTJ", "eager", n_embd=WIDTH, n_layer=2, n_head=2, rotary_dim=2, n_positions=2 * LENGTH,
                            vocab_size=VOCABULARY),
    "GPT-NeoX": lambda: decoder("GPTNeoX", rotary_pct=0.5),
    "Phi": lambda: decoder("Phi"),
    "OPT": lambda: decoder("OPT", ffn_dim=24, word_embed_proj_dim=WIDTH),
    "Gemma": lambda: decoder("Gemma", head_dim=8),
    "Llama, part of a rotation": lambda: decoder("Llama", partial_rotary_factor=0.5),
    "T5": t5,
    "DeiT": lambda: vit(family="DeiT"),
    "BEiT": lambda: vit(family="Beit", use_relative_position_bias=True, use_absolute_position_embeddings=False),
    "BEiT, layer scales": lambda: vit(family="Beit", layer_scale_init_value=0.1),
    "Swin": lambda: pyramid("Swin", patch_size=2, embed_dim=8, depths=[2], num_heads=[2], window_size=4),
    "ConvNeXt": lambda: pyramid("ConvNext", patch_size=2, num_stages=2, hidden_sizes=[8, 8], depths=[1, 1]),
}
