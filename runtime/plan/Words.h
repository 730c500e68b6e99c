// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Words.h - the words of the plan's closed enums ========================//
//
// Duty: text <-> case for every enum of Enums.def and for the opcodes. The dialects
// print and parse the enums by these functions, too.
// Threads: pure functions over constant tables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Cases.h"
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace windlass::plan {

/// The words of an enum, in the order of its cases.
template <typename Enum> std::span<const std::string_view> wordsOf();

#define WINDLASS_ENUM_BEGIN(Name) template <> std::span<const std::string_view> wordsOf<Name>();
#define WINDLASS_ENUM_CASE(Name, Id, Text)
#include "runtime/plan/Enums.def"
template <> std::span<const std::string_view> wordsOf<Opcode>();

template <typename Enum> size_t countOf() { return wordsOf<Enum>().size(); }

template <typename Enum> std::string_view textOf(Enum value) {
  return wordsOf<Enum>()[static_cast<size_t>(value)];
}

template <typename Enum> std::optional<Enum> fromText(std::string_view text) {
  std::span<const std::string_view> words = wordsOf<Enum>();
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == text)
      return static_cast<Enum>(i);
  return std::nullopt;
}

inline constexpr size_t kLanes = 0
#define WINDLASS_ENUM_BEGIN(Name)
#define WINDLASS_ENUM_CASE(Name, Id, Text) +(std::string_view(#Name) == "Lane")
#include "runtime/plan/Enums.def"
    ;

} // namespace windlass::plan
