// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxTokens.h"

#include <cctype>
#include <charconv>

namespace windlass::ptx {
namespace {

bool isOfWord(char mark) {
  return std::isalnum(static_cast<unsigned char>(mark)) || mark == '_' || mark == '$' || mark == '%' ||
         mark == '.';
}

} // namespace

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  uint32_t line = 1;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      line += text[at++] == '\n';
      continue;
    }
    size_t end = at + 1;
    if (text[at] == '"')
      end = std::min(text.find('"', end), text.size() - 1) + 1;
    else if (isOfWord(text[at]))
      while (end < text.size() && isOfWord(text[end]))
        ++end;
    tokens.push_back({text.substr(at, end - at), line});
    at = end;
  }
  return tokens;
}

std::optional<uint64_t> literalOf(std::string_view word) {
  int base = 10;
  size_t digits = 0;
  if (word.starts_with("0x") || word.starts_with("0f") || word.starts_with("0d")) {
    digits = word[1] == 'f' ? 8 : word[1] == 'd' ? 16 : 0;
    word.remove_prefix(2);
    base = 16;
    if (digits == 0 && word.ends_with("U"))
      word.remove_suffix(1);
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size() || (digits && word.size() != digits))
    return std::nullopt;
  return value;
}

} // namespace windlass::ptx
