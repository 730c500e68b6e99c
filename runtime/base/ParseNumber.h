// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ParseNumber.h - a text that is one number =============================//
//
// Duty: reads a number from the whole of a text, by the rules of std::from_chars: no space, no "+", no other
// base than ten, no dependence on the locale. Threads: pure functions. Errors: false; the caller, who knows
// where the text stands, makes the message.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <charconv>
#include <string_view>

namespace windlass {

/// Whether the whole of `text` is a number that the type can hold; then `number` is this number. Otherwise
/// `number` may have been changed. "inf" and "nan" are numbers of floating-point types.
template <typename Number> bool parseNumber(std::string_view text, Number &number) {
  const char *const textEnd = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), textEnd, number);
  return error == std::errc() && end == textEnd;
}

} // namespace windlass
