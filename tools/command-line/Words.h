// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Words.h - options that are one of a few words =========================//
//
// Duty: reads a word of a command line, in any case, as the value that it stands for. CLI11's own transformer
// takes the values for words, too, and prints values of enums that are bytes as characters. Errors: one line
// with the words and the one found.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/JsonReader.h"
#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace windlass {

/// For CLI::Option::transform: writes the value, an enum or bool, in the form that CLI11 reads.
template <typename Value> CLI::Validator wordOf(std::map<std::string, Value> values) {
  return {[values = std::move(values)](std::string &text) -> std::string {
            std::vector<std::string_view> words;
            for (const auto &[word, value] : values) {
              if (CLI::detail::to_lower(text) == word) {
                text = std::to_string(static_cast<int64_t>(value));
                return {};
              }
              words.push_back(word);
            }
            return "must be " + quotedChoices(words) + ", is \"" + text + "\"";
          },
          ""};
}

} // namespace windlass
