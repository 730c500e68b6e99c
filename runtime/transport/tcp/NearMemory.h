// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NearMemory.h - the memory of processes on this machine =============//
//
// Duty: copies bytes out of the memory of another process of the job, where the system lets it: one copy
// instead of a connection's three. Whether it does is tried, not guessed: each process says where a secret of
// its own lies, and who reads it there sees the same process, and may.
// Threads: any. Errors: a copy that the system refuses says so; the process may be gone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace windlass {

/// Bytes of another process.
struct FarSpan {
  uint64_t address = 0, bytes = 0;
};

/// Copies what lies in another process, or in this one, piece by piece into pieces of the same sizes.
bool copyFrom(int64_t process, std::span<const FarSpan> from, std::span<const std::span<std::byte>> to);

/// What one process shows to others that would read its memory.
class MemoryMark {
public:
  MemoryMark();
  /// Where the secret lies, and what it is: for others of the job alone.
  std::string text() const;
  /// Of which process the text is, if its memory can be read from here; else 0.
  static int64_t readableProcess(std::string_view text);

private:
  static constexpr size_t kSecretBytes = 32;
  std::unique_ptr<std::byte[]> secret;
};

} // namespace windlass
