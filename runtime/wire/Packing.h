// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Packing.h - values as bytes between processes of one job ==============//
//
// Duty: numbers and texts one behind the other, in the byte order of x86. What is unpacked may come from
// anybody: a length is believed only where that many bytes are there.
// Errors: an Unpacking that ran out of bytes says so once, at the end.
// Threads: values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace windlass {

class Packing {
public:
  template <typename Plain> Packing &add(const Plain &value) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }
  Packing &addText(std::string_view text);
  template <typename Plain> Packing &addList(std::span<const Plain> values) {
    return addText({reinterpret_cast<const char *>(values.data()), values.size_bytes()});
  }
  std::string take() { return std::move(bytes); }

private:
  std::string bytes;
};

class Unpacking {
public:
  explicit Unpacking(std::string_view bytes) : rest(bytes) {}

  template <typename Plain> Plain get() {
    static_assert(std::is_trivially_copyable_v<Plain>);
    Plain value{};
    const std::string_view bytes = next(sizeof value);
    if (isWhole())
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view getText();
  template <typename Plain> std::vector<Plain> getList() {
    const std::string_view bytes = getText();
    std::vector<Plain> values(bytes.size() / sizeof(Plain));
    if (!values.empty())
      std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Plain));
    return values;
  }
  /// Whether all that was asked for was there.
  bool isWhole() const { return !ranOut; }
  bool isAtEnd() const { return rest.empty(); }

private:
  std::string_view next(size_t bytes);
  std::string_view rest;
  bool ranOut = false;
};

/// Texts as one, and back.
std::string packTexts(std::span<const std::string> texts);
std::vector<std::string> unpackTexts(std::string_view bytes);

} // namespace windlass
