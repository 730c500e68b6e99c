// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimClocks.h - finds unordered accesses by vector clocks ===============//
//
// Duty: vector clocks of streams, and for every accessed byte its last writer and its readers since. An
// access that conflicts with an earlier one (same bytes, one of them writes), and whose clock does not
// contain it, is unordered, even if this run computed the right bytes. Streams are numbered from 1; 0 is the
// host, whose threads count as one: an operation that the host saw complete is complete for all later work of
// its threads. The order among threads is left to the thread sanitizer. Threads: the caller locks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/SimRules.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace windlass::test {

inline constexpr size_t kSimHost = 0;

/// For every stream, the number of its operations that are known to be complete.
class SimClock {
public:
  uint32_t of(size_t stream) const { return stream < known.size() ? known[stream] : 0; }
  void advance(size_t stream);
  void join(const SimClock &other);

private:
  std::vector<uint32_t> known;
};

/// Bytes [begin, end) of the device or of pinned memory, whose addresses differ. Bytes that one operation
/// reads and then writes count as written.
struct SimAccess {
  uint64_t begin = 0, end = 0;
  bool writes = false;
};

/// The operation of a stream that accesses bytes; its clock already counts the operation.
struct SimActor {
  size_t stream = kSimHost;
  const SimClock &clock;
  std::string name;
};

class SimClocks {
public:
  explicit SimClocks(SimReport report) : report(std::move(report)) {}

  /// Adds bytes that nobody has accessed.
  void add(uint64_t begin, uint64_t end);
  void remove(uint64_t begin, uint64_t end);
  void touch(const SimAccess &access, const SimActor &actor);

private:
  struct Touch {
    size_t stream;
    uint32_t count;
    std::shared_ptr<const std::string> name;
  };
  struct Segment {
    uint64_t end = 0;
    std::optional<Touch> write;
    std::vector<Touch> reads; ///< since `write`, the newest of each stream
  };
  using Segments = std::map<uint64_t, Segment>;

  Segments::iterator splitAt(uint64_t address);
  void check(const Touch &before, bool wrote, const SimAccess &access, const SimActor &actor) const;

  Segments segments; ///< by first address
  SimReport report;
};

} // namespace windlass::test
