// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedMemory.h - memory that other processes see in place =============//
//
// Duty: memory that lies in a file without a name. A process of the same host that may look into its owner
// opens that file by the owner's number for it and maps it, to read bytes where they lie, without a copy.
// Ownership: a file closes with its object, a view unmaps itself; what is mapped stays until the last one
// has let go, so that a view outlives a process that has died. Threads: any. Errors: none. Where the system
// gives no such file, or does not let one be opened, there is none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace windlass {

/// Where bytes lie in a file of their process.
struct SharedPlace {
  uint64_t inode = 0;  ///< of the file, which no other one has while it lives; 0: they lie in none
  uint64_t number = 0; ///< of the file in that process
  uint64_t offset = 0;
};

/// A file of this process that is memory.
class SharedFile {
public:
  SharedFile() = default;
  SharedFile(SharedFile &&other) noexcept;
  SharedFile &operator=(SharedFile &&other) noexcept;
  ~SharedFile();

  /// Of zeros; not open where the system refuses.
  static SharedFile create(int64_t bytes);
  bool isOpen() const { return number >= 0; }
  /// Maps the whole file at an address, in place of what is mapped there. From then on placeOf() finds bytes
  /// in it.
  bool mapAt(std::span<std::byte> memory);

  /// Where bytes of this process lie, if they are in one file.
  static SharedPlace placeOf(std::span<const std::byte> bytes);

private:
  int number = -1;
  const std::byte *mapped = nullptr;
};

/// All of a file of another process, or of this one, mapped to be read.
class SharedView {
public:
  SharedView() = default;
  /// Empty where the system refuses.
  SharedView(int64_t process, const SharedPlace &place);
  SharedView(SharedView &&other) noexcept;
  SharedView &operator=(SharedView &&other) noexcept;
  ~SharedView();

  /// Null where not all of them are in it.
  const std::byte *find(uint64_t offset, uint64_t bytes) const;
  /// Of all views of this process: the system counts them among what it has in memory.
  static int64_t bytesOfAll();

private:
  std::span<const std::byte> mapped;
};

} // namespace windlass
