// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Transformer.h - a model as the papers see it ==========================//
//
// Duty: the sizes that every formula of this folder is written in, under the
// papers' names. The formulas are those of
//   ZeRO   "ZeRO: Memory Optimization Towards Training A Trillion Parameter Models"
//   INF    "ZeRO-Infinity: Breaking the GPU Memory Wall for Extreme Scale Deep Learning"
//   ACT    "Reducing Activation Recomputation in Large Transformer Models"
// and each names its equation. docs/analysis.md is the page about all of them.
// Units: elements, bytes, floating-point operations; numbers are doubles, since
// bytes and operations of the largest models leave 64-bit integers.
// Errors: none; sizes are positive, which is the caller's to see to.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass::model {

/// A GPT: equal layers, each of four linear layers (h x 3h, h x h, h x 4h, 4h x h) and an attention.
struct Transformer {
  int64_t layers = 1;   ///< INF: nl
  int64_t hidden = 1;   ///< INF: hd, ACT: h
  int64_t heads = 1;    ///< INF: attn_heads, ACT: a
  int64_t sequence = 1; ///< INF: seq, ACT: s

  friend bool operator==(const Transformer &, const Transformer &) = default;
};

} // namespace windlass::model
