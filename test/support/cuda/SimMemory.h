// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimMemory.h - memory of a simulated device =========================//
//
// Duty: device addresses lie in pages that nobody may touch, with a zone of such pages around each
// allocation; the bytes lie elsewhere, and only what runs on the device finds them. A freed address never
// comes again. Also which memory of the host is pinned.
// Threads: the caller locks; bytes that were found belong to whoever runs on the device.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace windlass::test {

/// An allocation: where the program sees it, and where it is.
struct SimRegion {
  uint64_t address = 0, bytes = 0;
  std::byte *data = nullptr;
  uint8_t *written = nullptr; ///< per byte, not 0 once somebody wrote it
  int device = 0;

  bool has(uint64_t at, uint64_t length) const {
    return at >= address && length <= bytes && at - address <= bytes - length;
  }
  std::byte *at(uint64_t where) const { return data + (where - address); }
  bool isWritten(uint64_t at, uint64_t length) const;
  void markWritten(uint64_t at, uint64_t length, bool isWritten = true) const;
};

class SimMemory {
public:
  /// 0: the system grants no addresses. On a border of 256 bytes, and of no more. Filled with junk.
  uint64_t allocate(uint64_t bytes, int device);
  /// False where no live allocation begins there.
  bool release(uint64_t address);
  /// The live allocation that the bytes are part of; null where there is none.
  const SimRegion *find(uint64_t address, uint64_t bytes) const;
  /// The live ones. They stay where they are until they are released.
  std::vector<SimRegion> regions() const;
  /// Whether the address lies in or around an allocation, live or not.
  bool isDevice(uint64_t address) const;
  /// The live allocation that begins there; null: none does.
  const SimRegion *at(uint64_t address) const;
  uint64_t bytesInUse(int device) const;

  /// False where some of it is pinned already.
  bool pin(uint64_t begin, uint64_t bytes);
  /// The end of what was pinned; 0: nothing was, from there on.
  uint64_t unpin(uint64_t begin);
  bool isPinned(uint64_t begin, uint64_t bytes) const;
  size_t allocations() const { return live; }
  size_t pins() const { return pinned.size(); }

private:
  struct Allocation {
    uint64_t zoneBegin = 0, zoneEnd = 0;
    std::shared_ptr<void> zone; ///< the addresses
    std::unique_ptr<std::byte[]> content;
    std::vector<uint8_t> written;
    SimRegion region; ///< without data: freed
  };
  /// The one that the address lies in or behind.
  const std::pair<const uint64_t, Allocation> *around(uint64_t address) const;

  std::map<uint64_t, Allocation> allocated; ///< by first address
  std::map<uint64_t, uint64_t> pinned;      ///< begin, end
  size_t live = 0;
};

} // namespace windlass::test
