// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimClocks.h"
#include <algorithm>

namespace windlass::test {

namespace {

std::string whoIs(size_t stream, const std::string &name) {
  return stream == kSimHost ? name + " of the host" : name + " of stream " + std::to_string(stream);
}

} // namespace

void SimClock::advance(size_t stream) {
  known.resize(std::max(known.size(), stream + 1));
  ++known[stream];
}

void SimClock::join(const SimClock &other) {
  known.resize(std::max(known.size(), other.known.size()));
  for (size_t stream = 0; stream < other.known.size(); ++stream)
    known[stream] = std::max(known[stream], other.known[stream]);
}

void SimClocks::add(uint64_t begin, uint64_t end) {
  remove(begin, end);
  if (begin < end)
    segments[begin] = {end, {}, {}};
}

void SimClocks::remove(uint64_t begin, uint64_t end) { segments.erase(splitAt(begin), splitAt(end)); }

/// Cuts the segment that contains the address. Returns the first segment that begins at the address or after
/// it.
SimClocks::Segments::iterator SimClocks::splitAt(uint64_t address) {
  const auto next = segments.lower_bound(address);
  if (next == segments.begin())
    return next;
  const auto before = std::prev(next);
  if (before->second.end <= address)
    return next;
  Segment rest = before->second;
  before->second.end = address;
  return segments.emplace_hint(next, address, std::move(rest));
}

void SimClocks::check(const Touch &before, bool wrote, const SimAccess &access, const SimActor &actor) const {
  if (actor.clock.of(before.stream) >= before.count)
    return;
  report(SimRule::Unordered, whoIs(actor.stream, actor.name) + (access.writes ? " writes" : " reads") +
                                 " bytes that " + whoIs(before.stream, *before.name) +
                                 (wrote ? " wrote" : " read") + ", and nothing orders the two");
}

void SimClocks::touch(const SimAccess &access, const SimActor &actor) {
  if (access.begin >= access.end)
    return;
  const Touch mine{actor.stream, actor.clock.of(actor.stream),
                   std::make_shared<const std::string>(actor.name)};
  const auto last = splitAt(access.end), first = splitAt(access.begin);
  for (auto at = first; at != last; ++at) {
    Segment &segment = at->second;
    if (segment.write)
      check(*segment.write, true, access, actor);
    if (access.writes) {
      for (const Touch &read : segment.reads)
        check(read, false, access, actor);
      continue;
    }
    const auto known = std::ranges::find(segment.reads, mine.stream, &Touch::stream);
    known == segment.reads.end() ? segment.reads.push_back(mine) : void(*known = mine);
  }
  if (!access.writes)
    return;
  segments.erase(first, last);
  segments[access.begin] = {access.end, mine, {}};
}

} // namespace windlass::test
