// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NearMemory.h - the memory of processes on this machine ================//
//
// Duty: reads the memory of another process of the job, if the system allows it: in place, if the bytes lie
// in a shared file (runtime/base/SharedMemory.h); else by one copy, where a connection takes three. Whether
// the system allows it is tested: each process publishes the address of a secret, and a process that reads
// the same secret at that address may read the memory of that process.
// Threads: any. Errors: a copy that the system refuses returns false; the process may be gone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/SharedMemory.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace windlass {

/// Bytes of another process, at the place that it has published.
struct FarSpan {
  uint64_t address = 0, bytes = 0;
  SharedPlace place;
};
FarSpan shownToOthers(std::span<const std::byte> bytes);

/// The memory of another process, or of this one.
class FarMemory {
public:
  explicit FarMemory(int64_t process) : process(process) {}
  /// The bytes in place; null if they can only be copied.
  const std::byte *find(const FarSpan &span);
  /// Copies pieces into pieces of the same sizes. False: the system refused.
  bool copy(std::span<const FarSpan> from, std::span<const std::span<std::byte>> to);

private:
  const int64_t process;
  std::mutex mutex;
  std::map<uint64_t, SharedView> views; ///< by inode; empty if the system refused
};

/// A secret in the memory of this process, by which other processes test whether they can read it.
class MemoryMark {
public:
  MemoryMark();
  /// The process id, and the address and bytes of the secret: for processes of the job alone.
  std::string text() const;
  /// The process id in `text`, if the memory of that process can be read from here; else 0.
  static int64_t readableProcess(std::string_view text);

private:
  static constexpr size_t kSecretBytes = 32;
  std::unique_ptr<std::byte[]> secret;
};

} // namespace windlass
