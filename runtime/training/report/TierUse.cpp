// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/report/TierUse.h"

#include "runtime/base/SharedMemory.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace windlass {
namespace {

/// Bytes of a range whose pages are in memory.
int64_t residentBytes(std::span<const std::byte> range) {
  if (range.empty())
    return 0;
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(range.data()), end = begin + range.size();
  const uintptr_t firstPage = begin / page * page, pages = (end - firstPage + page - 1) / page;
  std::vector<unsigned char> resident(pages);
  if (mincore(reinterpret_cast<void *>(firstPage), pages * page, resident.data()) < 0)
    return 0;
  int64_t bytes = 0;
  for (uintptr_t i = 0; i < pages; ++i)
    if (resident[i] & 1)
      bytes += static_cast<int64_t>(std::min(end, firstPage + (i + 1) * page) -
                                    std::max(begin, firstPage + i * page));
  return bytes;
}

} // namespace

std::vector<TierUse> measureTiers(const plan::Plan &plan, const Executor &executor) {
  std::map<plan::Tier, TierUse> uses;
  for (const plan::Program &program : plan.programs)
    for (const plan::Arena &arena : program.arenas)
      for (int64_t rank : executor.ranks().in(plan::RankSet::of(program))) {
        TierUse &use = uses.try_emplace(arena.tier, TierUse{arena.tier, 0, 0, false}).first->second;
        const std::span<const std::byte> bytes = executor.arena(rank, arena.tier);
        use.planned += arena.bytes;
        use.measured += residentBytes(bytes);
        use.isMeasured |= !bytes.empty();
      }
  std::vector<TierUse> list;
  for (const auto &[tier, use] : uses)
    list.push_back(use);
  return list;
}

MemoryUse measureMemory(const plan::Plan &plan, const Executor &executor) {
  return {measureTiers(plan, executor), peakResidentBytes()};
}

Result<MemoryUse> gatherMemory(const plan::Plan &plan, const Executor &executor, JobProcess &job) {
  const MemoryUse mine = measureMemory(plan, executor);
  Result<std::vector<std::string>> all =
      job.gather(Packing().addList(std::span(mine.tiers)).add(mine.peakResident).take());
  if (!all)
    return all.status();
  MemoryUse sum;
  for (const std::string &each : *all) {
    Unpacking unpacking(each);
    for (const TierUse &use : unpacking.getList<TierUse>()) {
      auto known = std::ranges::find(sum.tiers, use.tier, &TierUse::tier);
      if (known == sum.tiers.end())
        known = sum.tiers.insert(known, {use.tier});
      known->planned += use.planned;
      known->measured += use.measured;
      known->isMeasured |= use.isMeasured;
    }
    sum.peakResident += unpacking.get<int64_t>();
  }
  std::ranges::sort(sum.tiers, {}, &TierUse::tier);
  return sum;
}

int64_t peakResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024 - SharedView::bytesOfAll();
  return 0;
}

} // namespace windlass
