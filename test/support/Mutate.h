// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Mutate.h - random corruptions of a text ===============================//
//
// Duty: makes one random change of a text: a flipped bit, a byte with a meaning to parsers, a lost or
// repeated part, an unexpected number. Threads: as the generator. The same generator gives the same changes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

namespace windlass::test {

inline std::string mutated(std::string text, std::mt19937_64 &random) {
  constexpr std::string_view kSyntax = "{}[]\",:-0e.\\\xff";
  constexpr std::array<const char *, 8> kNumbers = {
      "-1", "0", "1.5", "1e308", "4294967296", "9223372036854775807", "18446744073709551616", "null"};
  const size_t at = random() % text.size();
  const size_t length = std::min<size_t>(random() % 64, text.size() - at);
  switch (random() % 5) {
  case 0:
    text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
    break;
  case 1:
    text[at] = kSyntax[random() % kSyntax.size()];
    break;
  case 2:
    text.erase(at, length);
    break;
  case 3:
    text.insert(at, text.substr(at, length));
    break;
  case 4: {
    const size_t number = text.find_first_of("0123456789", at);
    if (number == std::string::npos)
      break;
    const size_t end = text.find_first_not_of("0123456789.", number);
    text.replace(number, (end == std::string::npos ? text.size() : end) - number,
                 kNumbers[random() % kNumbers.size()]);
    break;
  }
  }
  return text;
}

} // namespace windlass::test
