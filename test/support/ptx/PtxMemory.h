// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxMemory.h - the memory of device code ===============================//
//
// Duty: stands for the memory of a device: regions at addresses of their own. Their owner decides where the
// bytes lie, and whether it is recorded which of them were written. `Allocations` owns its bytes, and leaves
// gaps between regions.
// Threads: one at a time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace windlass::ptx {

/// Bytes at consecutive addresses, within which an access must lie.
struct Region {
  std::string name;
  uint64_t address = 0, bytes = 0;
  uint8_t *data = nullptr;
  uint8_t *written = nullptr; ///< per byte, not 0 once it was written; null: not recorded
};

class Memory {
public:
  virtual ~Memory() = default;
  /// The region that contains an address; null if there is none. The region does not move during a launch.
  virtual const Region *find(uint64_t address) const = 0;
};

class Allocations final : public Memory {
public:
  /// The content of bytes that were never written.
  static constexpr uint8_t kUnwritten = 0xC5;

  /// Allocates unwritten bytes at a multiple of 256. Returns the address.
  uint64_t allocate(const std::string &name, uint64_t bytes);
  /// Allocates bytes with a content, which counts as written. Returns the address.
  uint64_t place(const std::string &name, const void *from, uint64_t bytes);

  const Region *find(uint64_t address) const override;
  void write(uint64_t address, const void *from, uint64_t bytes);
  void read(uint64_t address, void *to, uint64_t bytes) const;
  /// Whether every byte of a region was written.
  bool isWhole(uint64_t address) const;

private:
  struct Stretch {
    Region region;
    std::vector<uint8_t> data, written;
  };

  static constexpr uint64_t kFirst = 0x7f0000000000, kAlignment = 256, kGap = 4096;
  uint64_t next = kFirst;
  std::map<uint64_t, Stretch> stretches; ///< by address
};

} // namespace windlass::ptx
