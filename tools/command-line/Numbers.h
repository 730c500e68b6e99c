// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Numbers.h - options that are numbers ==================================//
//
// Duty: reads numbers of a command line exactly. CLI11 saturates numbers that its type cannot hold, reads a
// leading 0 as octal, and lets "nan" pass its ranges. Errors: one line with the rule and the value found.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/ParseNumber.h"
#include <CLI/CLI.hpp>
#include <concepts>
#include <limits>
#include <optional>
#include <string>

namespace windlass {

/// The number that the whole of `text` is; nothing for other text, or for numbers outside of the type.
template <typename Number> std::optional<Number> numberOf(const std::string &text) {
  Number value = 0;
  return parseNumber(text, value) ? std::optional(value) : std::nullopt;
}

/// For CLI::Option::transform: checks a whole number, and writes it in the form that CLI11 reads.
template <std::integral Whole>
CLI::Validator wholeNumber(Whole least, Whole most = std::numeric_limits<Whole>::max()) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  return {[=](std::string &text) -> std::string {
            const std::optional<Whole> value = numberOf<Whole>(text);
            if (!value || *value < least || *value > most)
              return "must be a whole number from " + range + ", is " + text;
            text = std::to_string(*value);
            return {};
          },
          most == std::numeric_limits<Whole>::max() ? std::to_string(least) + " or more" : range};
}

/// For CLI::Option::check: checks a number in [least, most].
CLI::Validator realNumber(double least, double most);

} // namespace windlass
