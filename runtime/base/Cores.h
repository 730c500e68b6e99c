// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Cores.h - which cores of its host a process or a rank runs on =========//
//
// Duty: processes of one job on one host divide the cores that they were all given: each takes whole cores
// that lie together, so that its threads share caches and memory and stay out of the others' way. What a
// launcher has bound stays as it was bound; where there are more processes than processors nobody is bound.
// Ranks that are threads of one process divide that process's cores in the same way.
// Threads: any; a process is bound before it has made threads that compute. Errors: where the system refuses,
// a process or thread runs wherever it may.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace windlass {

/// A processor, as the system numbers it, and the core that it may share with others.
struct Processor {
  int64_t number = 0, package = 0, core = 0;
  auto operator<=>(const Processor &) const = default;
};

/// The processors that this process may run on.
std::vector<Processor> processorsHere();
/// The processors of one of `parts` processes: whole cores, as many as any other process has, or one more. If
/// there are fewer cores than parts: processors; if there are fewer processors, too: nothing.
std::vector<int64_t> partOf(std::vector<Processor> processors, int64_t part, int64_t parts);
/// The part of one of `ranks` ranks that are alike, where all can have as many: whole cores or processors as
/// above, or, of more ranks than processors, one processor for several ranks; else nothing.
std::vector<int64_t> partOfRank(std::vector<Processor> processors, int64_t rank, int64_t ranks);
/// Makes this process, with all its threads, run on these alone.
bool runOn(std::span<const int64_t> processors);
/// "0-3,8", one text for equal sets.
std::string textOfProcessors(std::span<const Processor> processors);

/// While it lives, the calling thread runs on these alone, and so do the threads that it starts meanwhile, to
/// their end. Nothing changes where there are none.
class RunsOn {
public:
  explicit RunsOn(std::span<const int64_t> processors);
  ~RunsOn();
  RunsOn(const RunsOn &) = delete;
  RunsOn &operator=(const RunsOn &) = delete;

private:
  std::vector<int64_t> before; ///< empty: nothing to restore
};

} // namespace windlass
