// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimMemory.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace windlass::test {

namespace {

constexpr uint64_t kZone = 64 << 10, kAlignment = 256;
constexpr int kJunk = 0xA5; // as f32: a small negative number, which no test expects

} // namespace

bool SimRegion::isWritten(uint64_t at, uint64_t length) const {
  return std::memchr(written + (at - address), 0, length) == nullptr;
}

void SimRegion::markWritten(uint64_t at, uint64_t length, bool isWritten) const {
  std::memset(written + (at - address), isWritten, length);
}

uint64_t SimMemory::allocate(uint64_t bytes, int device) {
  const uint64_t length = bytes + 2 * kZone + 2 * kAlignment;
  void *shown = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shown == MAP_FAILED)
    return 0;
  const auto begin = reinterpret_cast<uint64_t>(shown);
  const uint64_t address = begin + kZone + kAlignment; // a multiple of 256, not of 512
  Allocation &made = allocated[address];
  made.zoneBegin = begin;
  made.zoneEnd = begin + length;
  made.zone = {shown, [length](void *at) { munmap(at, length); }};
  made.content = std::make_unique_for_overwrite<std::byte[]>(bytes);
  made.written.resize(bytes);
  made.region = {address, bytes, made.content.get(), made.written.data(), device};
  std::memset(made.content.get(), kJunk, bytes);
  ++live;
  return address;
}

uint64_t SimMemory::bytesInUse(int device) const {
  uint64_t bytes = 0;
  for (const SimRegion &region : regions())
    bytes += region.device == device ? region.bytes : 0;
  return bytes;
}

bool SimMemory::release(uint64_t address) {
  const auto found = allocated.find(address);
  if (found == allocated.end() || !found->second.region.data)
    return false;
  Allocation &gone = found->second;
  --live;
  gone.region = {};
  gone.content.reset();
  gone.written = {};
  return true;
}

const std::pair<const uint64_t, SimMemory::Allocation> *SimMemory::around(uint64_t address) const {
  const auto next = allocated.upper_bound(address);
  return next == allocated.begin() ? nullptr : &*std::prev(next);
}

const SimRegion *SimMemory::find(uint64_t address, uint64_t bytes) const {
  const auto *found = around(address);
  return found && found->second.region.data && found->second.region.has(address, bytes)
             ? &found->second.region
             : nullptr;
}

std::vector<SimRegion> SimMemory::regions() const {
  std::vector<SimRegion> all;
  for (const auto &[address, allocation] : allocated)
    if (allocation.region.data)
      all.push_back(allocation.region);
  return all;
}

bool SimMemory::isDevice(uint64_t address) const {
  const auto next = allocated.lower_bound(address);
  if (next != allocated.end() && address >= next->second.zoneBegin)
    return true;
  const auto *found = around(address);
  return found && address < found->second.zoneEnd;
}

const SimRegion *SimMemory::at(uint64_t address) const {
  const auto found = allocated.find(address);
  return found != allocated.end() && found->second.region.data ? &found->second.region : nullptr;
}

bool SimMemory::pin(uint64_t begin, uint64_t bytes) {
  const auto next = pinned.lower_bound(begin);
  if (next != pinned.end() && next->first < begin + bytes)
    return false;
  if (next != pinned.begin() && std::prev(next)->second > begin)
    return false;
  pinned[begin] = begin + bytes;
  return true;
}

uint64_t SimMemory::unpin(uint64_t begin) {
  const auto found = pinned.find(begin);
  if (found == pinned.end())
    return 0;
  const uint64_t end = found->second;
  pinned.erase(found);
  return end;
}

bool SimMemory::isPinned(uint64_t begin, uint64_t bytes) const {
  const auto next = pinned.upper_bound(begin);
  return next != pinned.begin() && begin + bytes <= std::prev(next)->second;
}

} // namespace windlass::test
