// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TextForm.h - the lines in which planning problems are written =========//
//
// Duty: "word name key=value key=value  # remark", one fact per line. The first
// thing wrong is kept; finish() returns it, or names a key nobody asked for.
// Errors: "line 3: bytes: must be a whole number, is \"12x\"".
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Enums.h"
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::planning {

class TextLine {
public:
  TextLine(std::string_view text, int64_t number);

  bool isEmpty() const { return words.empty(); }
  /// The first word, then those without "=".
  const std::string &word() const { return words.front(); }
  std::string name(size_t index = 1);

  bool has(const std::string &key) const { return values.count(key) != 0; }
  int64_t integer(const std::string &key, int64_t otherwise = 0);
  double real(const std::string &key, double otherwise = 0);
  std::vector<uint32_t> list(const std::string &key); ///< "1,2,5"
  template <typename Enum> Enum oneOf(const std::string &key, Enum otherwise) {
    std::string text = take(key);
    if (text.empty())
      return otherwise;
    std::optional<Enum> found = plan::fromText<Enum>(text);
    if (!found)
      fail(key, "no such word: \"" + text + "\"");
    return found.value_or(otherwise);
  }
  std::string take(const std::string &key); ///< the text of a value, "" if absent

  void fail(const std::string &place, const std::string &message);
  Status finish(); ///< the first failure, or the first key nobody asked for

private:
  int64_t number;
  std::vector<std::string> words;
  std::map<std::string, std::string> values;
  Status failure;
};

std::vector<TextLine> textLines(std::string_view text); ///< without empty ones

/// The shortest text that reads back as the same number.
std::string shortest(double value);
/// "1,2,5"
std::string joined(const std::vector<uint32_t> &numbers);

} // namespace windlass::planning
