// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxChecks.h - finds unordered accesses of threads =====================//
//
// Duty: remembers of every byte its last writer and its readers since, so that two
// accesses that nothing orders are found whichever came first: of two threads of a block
// between two of its barriers, or of two blocks in one launch. An access is aligned to
// its size, so bytes are told apart in granules of the smallest one.
// Threads: one at a time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace windlass::ptx {

/// A thread between two barriers of its block, numbered through.
struct Toucher {
  uint32_t block, barriers, thread;
  bool operator==(const Toucher &) const = default;
};

/// An earlier access that the later one is not ordered with.
struct Conflict {
  bool betweenBlocks, otherWrote;
};

/// Bytes that a launch read, wrote, or both.
struct Touched {
  uint64_t address, bytes;
  bool isRead, isWritten;
  bool operator==(const Touched &) const = default;
};

class AccessLog {
public:
  /// Granule: bytes, a power of 2; every access is a multiple of it, a power of 2 as well, and aligned to its
  /// own size.
  explicit AccessLog(uint32_t granule) : shift(std::countr_zero(granule)) {}

  std::optional<Conflict> read(uint64_t address, uint32_t bytes, Toucher who);
  std::optional<Conflict> write(uint64_t address, uint32_t bytes, Toucher who);
  /// In order of addresses; neighbours alike are one.
  std::vector<Touched> touched() const;

private:
  static constexpr uint32_t kNone = 0xFFFFFFFF, kSeveral = 0xFFFFFFFE;
  static constexpr uint64_t kPageGranules = 1024;

  struct Record {
    Toucher writer{kNone, 0, 0};
    Toucher reader{kNone, 0, 0}; ///< kSeveral: blocks; or threads of the block since its last barrier
  };
  using Page = std::array<Record, kPageGranules>;

  /// Of an access, which lies in one page, for both are aligned.
  std::span<Record> records(uint64_t address, uint32_t bytes) {
    const uint64_t number = address >> shift;
    if (number / kPageGranules != lastNumber)
      turnTo(number / kPageGranules);
    return {lastPage->data() + number % kPageGranules, bytes >> shift};
  }
  void turnTo(uint64_t page);
  static std::optional<Conflict> conflictWithWriter(const Record &record, Toucher who);
  static std::optional<Conflict> conflictWithReaders(const Record &record, Toucher who);
  static void addReader(Record &record, Toucher who);

  int shift;                                                 ///< a granule is so many times doubled
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages; ///< by number
  uint64_t lastNumber = UINT64_MAX;
  Page *lastPage = nullptr;
};

} // namespace windlass::ptx
