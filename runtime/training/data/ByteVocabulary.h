// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ByteVocabulary.h - whether a model's tokens are bytes =================//
//
// Duty: text is trained and sampled byte by byte, which means something to models whose
// first 256 tokens are the bytes: those of no more tokens than bytes, some special ones
// and the padding to a round number. A larger vocabulary is a tokenizer's, which no plan holds.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace windlass {

/// 256 bytes and as many more as padding to a multiple of 128 makes of a few special ones.
inline constexpr int64_t kMostByteTokens = 384;

inline constexpr bool isByteVocabulary(int64_t tokens) { return tokens <= kMostByteTokens; }

} // namespace windlass
