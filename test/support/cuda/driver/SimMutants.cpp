// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/driver/SimMutants.h"
#include <algorithm>

namespace windlass::test {

using namespace windlass::cuda;

namespace {

/// The mistake of the newest table, and the streams of the program.
struct Mistake {
  std::mutex mutex;
  Driver real;
  SimMutant mutant{};
  int64_t at = 0, occasions = 0;
  std::vector<CuStream> streams; ///< in the order in which they were made

  bool happens(SimMutant here) {
    std::lock_guard lock(mutex);
    return mutant == here && ++occasions == at;
  }
  /// Another stream of the program; the same stream if there is no other.
  CuStream otherThan(CuStream stream) {
    std::lock_guard lock(mutex);
    const auto found = std::ranges::find(streams, stream);
    return found == streams.end() ? stream : streams[(found - streams.begin() + 1) % streams.size()];
  }
};

Mistake mistake;

} // namespace

std::string_view nameOf(SimMutant mutant) {
  switch (mutant) {
  case SimMutant::WaitDropped:
    return "wait dropped";
  case SimMutant::MarkElsewhere:
    return "mark on another stream";
  case SimMutant::MarkTooLate:
    return "event reused early";
  case SimMutant::CopyTooShort:
    return "copy too short";
  case SimMutant::NotPinned:
    return "unpinned";
  case SimMutant::ContextNotSet:
    return "context not set";
  case SimMutant::LaunchElsewhere:
    return "wrong stream";
  }
  return {};
}

std::vector<SimRule> rulesBrokenBy(SimMutant mutant) {
  switch (mutant) {
  case SimMutant::WaitDropped:
  case SimMutant::MarkElsewhere:
  case SimMutant::LaunchElsewhere:
    return {SimRule::Unordered, SimRule::UnwrittenRead};
  case SimMutant::MarkTooLate:
    return {SimRule::Unordered, SimRule::UnwrittenRead, SimRule::NeverRecorded};
  case SimMutant::CopyTooShort:
    return {SimRule::UnwrittenRead};
  case SimMutant::NotPinned:
    return {SimRule::NotPinned};
  case SimMutant::ContextNotSet:
    return {SimRule::NoContext};
  }
  return {};
}

cuda::Driver mutatedTable(SimMutant mutant, int64_t at) {
  mistake.real = SimDriver::table();
  mistake.mutant = mutant;
  mistake.at = at;
  mistake.occasions = 0;
  mistake.streams.clear();
  Driver table = mistake.real;
  table.createStream = [](CuStream *stream, unsigned flags) {
    const CuResult result = mistake.real.createStream(stream, flags);
    std::lock_guard lock(mistake.mutex);
    mistake.streams.push_back(*stream);
    return result;
  };
  table.waitForEvent = [](CuStream stream, CuEvent event, unsigned flags) {
    return mistake.happens(SimMutant::WaitDropped) ? CuResult::Success
                                                   : mistake.real.waitForEvent(stream, event, flags);
  };
  table.record = [](CuEvent event, CuStream stream) {
    if (mistake.happens(SimMutant::MarkTooLate))
      return CuResult::Success;
    return mistake.real.record(event, mistake.happens(SimMutant::MarkElsewhere) ? mistake.otherThan(stream)
                                                                                : stream);
  };
  table.enqueueUpload = [](CuAddress to, const void *from, size_t bytes, CuStream stream) {
    constexpr size_t kFew = 16; // buffers are padded: half of one may be all that a kernel reads
    return mistake.real.enqueueUpload(
        to, from, mistake.happens(SimMutant::CopyTooShort) ? std::min(kFew, bytes) : bytes, stream);
  };
  table.registerHost = [](void *host, size_t bytes, unsigned flags) {
    return mistake.happens(SimMutant::NotPinned) ? CuResult::Success
                                                 : mistake.real.registerHost(host, bytes, flags);
  };
  table.setContext = [](CuContext context) {
    return mistake.happens(SimMutant::ContextNotSet) ? CuResult::Success : mistake.real.setContext(context);
  };
  table.launch = [](CuFunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                    unsigned blockY, unsigned blockZ, unsigned sharedBytes, CuStream stream,
                    void **parameters, void **extra) {
    return mistake.real.launch(
        function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes,
        mistake.happens(SimMutant::LaunchElsewhere) ? mistake.otherThan(stream) : stream, parameters, extra);
  };
  return table;
}

} // namespace windlass::test
