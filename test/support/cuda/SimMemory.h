// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimMemory.h - memory of a simulated device ============================//
//
// Duty: the memory of a simulated device. Addresses lie in pages without access, with a zone of such pages
// around each allocation; the bytes lie elsewhere, and only work on the device finds them. A freed address
// never returns. Also records the pinned memory of the host.
// Threads: the caller locks; the bytes of a region belong to whoever runs on the device.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace windlass::test {

/// An allocation: the addresses that the program sees, and the bytes.
struct SimRegion {
  uint64_t address = 0, bytes = 0;
  std::byte *data = nullptr;
  uint8_t *written = nullptr; ///< per byte, not 0 once it was written
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
  /// Allocates bytes with a content of junk. Returns the address, a multiple of 256 but not of 512; 0 if the
  /// system grants no addresses.
  uint64_t allocate(uint64_t bytes, int device);
  /// Frees an allocation. Returns false if no live allocation begins at the address.
  bool release(uint64_t address);
  /// The live allocation that contains the bytes; null if there is none.
  const SimRegion *find(uint64_t address, uint64_t bytes) const;
  /// The live allocations. Their bytes do not move until they are released.
  std::vector<SimRegion> regions() const;
  /// Whether the address lies in or around an allocation, live or not.
  bool isDevice(uint64_t address) const;
  /// The live allocation that begins at the address; null if there is none.
  const SimRegion *at(uint64_t address) const;
  uint64_t bytesInUse(int device) const;

  /// Pins bytes. Returns false if some of them are already pinned.
  bool pin(uint64_t begin, uint64_t bytes);
  /// Returns the end of the pinned bytes that began there; 0 if none did.
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
    SimRegion region; ///< a freed allocation has no data
  };
  /// The last allocation that begins at the address or before it; null if there is none.
  const std::pair<const uint64_t, Allocation> *around(uint64_t address) const;

  std::map<uint64_t, Allocation> allocated; ///< by first address
  std::map<uint64_t, uint64_t> pinned;      ///< begin, end
  size_t live = 0;
};

} // namespace windlass::test
