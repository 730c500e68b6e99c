# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes and batches of the models here: three steps of BATCH examples."""

import torch

from judge import STEPS

BATCH = 4
EXAMPLES = STEPS * BATCH
VOCABULARY, LENGTH, WIDTH, HEADS, CLASSES = 23, 8, 8, 2, 5
IGNORED = -100


def tokens(length=LENGTH, bound=VOCABULARY):
    return torch.randint(bound, (EXAMPLES, length))


def classes(count=CLASSES):
    return torch.randint(count, (EXAMPLES,))


def numbers(*shape):
    return torch.randn(EXAMPLES, *shape)


def visible():
    """What is no padding, of sequences that end early."""
    return (torch.arange(LENGTH) < torch.randint(LENGTH // 2, LENGTH + 1, (EXAMPLES, 1))).long()


def partly_ignored(labels, share):
    return torch.where(torch.rand(labels.shape) < share, torch.full_like(labels, IGNORED), labels)
