// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxMemory.h"

#include <algorithm>

namespace windlass::ptx {

uint64_t Allocations::allocate(const std::string &name, uint64_t bytes) {
  const uint64_t address = next;
  next = (address + bytes + kGap + kAlignment - 1) / kAlignment * kAlignment;
  Stretch &stretch = stretches[address];
  stretch.data.assign(bytes, kUnwritten);
  stretch.written.assign(bytes, 0);
  stretch.region = {name, address, bytes, stretch.data.data(), stretch.written.data()};
  return address;
}

uint64_t Allocations::place(const std::string &name, const void *from, uint64_t bytes) {
  const uint64_t address = allocate(name, bytes);
  write(address, from, bytes);
  return address;
}

const Region *Allocations::find(uint64_t address) const {
  auto above = stretches.upper_bound(address);
  if (above == stretches.begin())
    return nullptr;
  const Region &region = std::prev(above)->second.region;
  return address - region.address < region.bytes ? &region : nullptr;
}

void Allocations::write(uint64_t address, const void *from, uint64_t bytes) {
  if (bytes == 0)
    return;
  const Region *region = find(address);
  std::memcpy(region->data + (address - region->address), from, bytes);
  std::memset(region->written + (address - region->address), 1, bytes);
}

void Allocations::read(uint64_t address, void *to, uint64_t bytes) const {
  if (bytes == 0)
    return;
  const Region *region = find(address);
  std::memcpy(to, region->data + (address - region->address), bytes);
}

bool Allocations::isWhole(uint64_t address) const {
  const std::vector<uint8_t> &written = stretches.at(address).written;
  return std::ranges::all_of(written, [](uint8_t byte) { return byte != 0; });
}

} // namespace windlass::ptx
