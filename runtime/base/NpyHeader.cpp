// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/NpyHeader.h"

#include <array>
#include <charconv>
#include <cstring>

namespace windlass {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kLongestHeader = 1 << 20;

/// Reads the dictionary: strings, booleans and tuples of whole numbers.
class Dictionary {
public:
  explicit Dictionary(std::string_view text) : rest(text) {}

  /// False where the text breaks the form or names another key.
  bool read(NpyHeader &header) {
    if (!skip("{"))
      return false;
    bool hasType = false, hasOrder = false, hasShape = false;
    while (!skip("}")) {
      std::string key;
      if (!readString(key) || !skip(":"))
        return false;
      bool *seen = key == "descr"           ? &hasType
                   : key == "fortran_order" ? &hasOrder
                   : key == "shape"         ? &hasShape
                                            : nullptr;
      if (!seen || *seen)
        return false;
      *seen = true;
      const bool isRead = seen == &hasType    ? readString(header.type)
                          : seen == &hasOrder ? readBoolean(header.fortranOrder)
                                              : readTuple(header.shape);
      if (!isRead)
        return false;
      skip(",");
    }
    return hasType && hasOrder && hasShape;
  }

private:
  void skipSpace() { rest.remove_prefix(std::min(rest.find_first_not_of(" \n\t"), rest.size())); }
  bool skip(std::string_view token) {
    skipSpace();
    if (!rest.starts_with(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }
  bool readString(std::string &text) {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    const size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return false;
    text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }
  bool readBoolean(bool &value) {
    value = skip("True");
    return value || skip("False");
  }
  bool readTuple(std::vector<int64_t> &numbers) {
    if (!skip("("))
      return false;
    while (!skip(")")) {
      skipSpace();
      int64_t number = 0;
      const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (failure != std::errc() || number < 0)
        return false;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      numbers.push_back(number);
      skip(",");
    }
    return true;
  }

  std::string_view rest;
};

} // namespace

Result<NpyHeader> readNpyHeader(const File &file) {
  auto wrong = [&](const std::string &what) { return Status::badInput(file.path() + ": " + what); };
  Result<int64_t> size = file.size();
  if (!size)
    return size.status();
  std::array<char, 12> start = {};
  const int64_t fixed = std::min<int64_t>(*size, std::ssize(start));
  WINDLASS_TRY(file.readAt(0, std::as_writable_bytes(std::span(start)).first(static_cast<size_t>(fixed))));
  if (fixed < std::ssize(start) || std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0)
    return wrong("does not begin with \"\\x93NUMPY\", as a .npy file does");
  const int major = start[6];
  if (major < 1 || major > 3)
    return wrong("is of .npy version " + std::to_string(major) + ", not 1, 2 or 3");
  uint32_t length = 0;
  std::memcpy(&length, start.data() + 8, major == 1 ? 2 : 4);
  NpyHeader header;
  header.dataBegin = (major == 1 ? 10 : 12) + static_cast<int64_t>(length);
  if (length > kLongestHeader || header.dataBegin > *size)
    return wrong("header length " + std::to_string(length) + " in a file of " + std::to_string(*size) +
                 " bytes");
  std::string text(length, ' ');
  WINDLASS_TRY(
      file.readAt(header.dataBegin - static_cast<int64_t>(length), std::as_writable_bytes(std::span(text))));
  if (!Dictionary(text).read(header))
    return wrong("the .npy header is not a dictionary of a plain type, 'fortran_order' and 'shape'");
  return header;
}

} // namespace windlass
