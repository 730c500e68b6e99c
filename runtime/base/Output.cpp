// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Output.h"

#include <cstdint>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace windlass {
namespace {

/// Bytes of the character that `text` begins with, if it is whole, spelled the one way that UTF-8 allows, and
/// steers nothing; else 0.
size_t harmless(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const uint8_t first = byte(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t' ? 1 : 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0xa0; // 0x80 to 0x9f are controls
  const bool isHalf = code >= 0xd800 && code <= 0xdfff;
  return first >= 0xc0 && first < 0xf8 && code >= least && code <= 0x10ffff && !isHalf ? length : 0;
}

} // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    size_t length = harmless(text);
    if (length > 0) {
      shown += text.substr(0, length);
    } else {
      char code[5];
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned>(static_cast<uint8_t>(text[0])));
      shown += code;
      length = 1;
    }
    text.remove_prefix(length);
  }
  return shown;
}

void printText(std::string_view text) {
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

bool isOutputRead() {
  struct pollfd output = {STDOUT_FILENO, 0, 0}; // errors are told without being asked for
  return isatty(STDOUT_FILENO) == 1 || poll(&output, 1, 0) <= 0 || (output.revents & POLLERR) == 0;
}

void printMessage(const char *kind, std::string_view text) {
  std::fprintf(stderr, "%s: %s\n", kind, printable(text).c_str());
}

int exitCodeOf(const Status &status) {
  if (!status.isOk())
    printMessage("error", status.message());
  return static_cast<int>(status.code());
}

} // namespace windlass
