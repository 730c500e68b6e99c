// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxTokens.h - the words of a PTX text =================================//
//
// Duty: splits a text into words (names, opcodes, numbers), strings and single marks, each with its line, and
// drops comments. Threads: pure functions; the words point into the text.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace windlass::ptx {

struct Token {
  std::string_view text;
  uint32_t line;
};

std::vector<Token> tokenize(std::string_view text);

/// A literal: decimal, 0x... (a U may follow), 0f... (bits of an f32) or 0d... (bits of an f64).
std::optional<uint64_t> literalOf(std::string_view word);

} // namespace windlass::ptx
