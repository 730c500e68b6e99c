// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxChecks.h - finds unordered accesses of threads =====================//
//
// Duty: remembers the last writer and the latest readers of every byte, and so finds accesses that nothing
// orders, whichever came first: of two threads of a block between two of its barriers, or of two blocks of
// one launch. An access is aligned to its size, so that bytes are told apart in granules of the smallest
// access.
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

/// A thread between two barriers of its block. `barriers` counts all barriers of the launch so far.
struct Toucher {
  uint32_t block, barriers, thread;
  bool operator==(const Toucher &) const = default;
};

/// An earlier access that is not ordered with the later one.
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
  /// `granule`: bytes, a power of 2. The size of every access is a multiple of the granule and a power of 2,
  /// and every access is aligned to its size.
  explicit AccessLog(uint32_t granule) : shift(std::countr_zero(granule)) {}

  std::optional<Conflict> read(uint64_t address, uint32_t bytes, Toucher who);
  std::optional<Conflict> write(uint64_t address, uint32_t bytes, Toucher who);
  /// The accessed bytes in the order of addresses. Neighbouring bytes with the same kinds of access are one
  /// entry.
  std::vector<Touched> touched() const;

private:
  static constexpr uint32_t kNone = 0xFFFFFFFF, kSeveral = 0xFFFFFFFE;
  static constexpr uint64_t kPageGranules = 1024;

  struct Record {
    Toucher writer{kNone, 0, 0};
    Toucher reader{kNone, 0, 0}; ///< block kSeveral: several blocks; thread kSeveral: several threads
  };
  using Page = std::array<Record, kPageGranules>;

  /// The records of an access. They lie in one page, since access and pages are aligned.
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

  int shift;                                                 ///< log2 of the granule
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages; ///< by number
  uint64_t lastNumber = UINT64_MAX;
  Page *lastPage = nullptr;
};

} // namespace windlass::ptx
