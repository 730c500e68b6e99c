// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Hash.h - XXH3-128 of bytes and of files ===============================//
//
// Duty: the one fingerprint of the house: kernel files, numerics records, plans,
// the files of checkpoints.
// It finds accidents, not attackers.
// Units: 32 lower-case hexadecimal digits, high half first.
// Memory: a file goes through a buffer of 4 MiB.
// Errors: a file that cannot be read is bad input.
// Threads: pure functions; a stream has one owner.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace windlass {

std::string hashOfBytes(std::string_view bytes);
Result<std::string> hashOfFile(const std::string &path);

/// The hash of bytes that come one run after another.
class HashStream {
public:
  HashStream();
  HashStream(HashStream &&) noexcept;
  ~HashStream();

  void add(std::span<const std::byte> bytes);
  std::string hash() const; ///< of all that came so far

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace windlass
