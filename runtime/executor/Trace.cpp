// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Trace.h"
#include <algorithm>
#include <ctime>

namespace windlass {

Trace::Trace(const BoundPlan &bound, const ExecutorOptions &options)
    : bound(bound), firstOfRank(bound.ranks().size()),
      recordsWork(options.recordTrace && options.recordWork) {
  size_t most = 0;
  for (plan::Purpose each : plan::kPurposes)
    most = std::max(most, eventsOf(each));
  slots.resize(options.recordTrace ? most : 0);
}

size_t Trace::eventsOf(plan::Purpose purpose) const {
  size_t events = 0;
  for (const BoundProgram &program : bound.programs())
    events += program.sequence(purpose).events * program.ranks.size();
  return events;
}

double Trace::workSeconds(const KernelLauncher *kernels) const {
  if (!recordsWork)
    return 0;
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec) +
         (kernels ? kernels->helperSeconds() : 0);
}

void Trace::begin(plan::Purpose next) {
  purpose = next;
  size_t first = 0;
  for (int64_t rank : bound.ranks()) {
    firstOfRank[bound.ranks().placeOf(rank)] = first;
    first += bound.programOf(rank).sequence(purpose).events;
  }
  recorded = slots.empty() ? 0 : first;
  began = Clock::now();
}

double Trace::record(size_t run, int64_t rank, uint32_t instruction, const Start &start) {
  if (slots.empty())
    return 0;
  const BoundRun &at = bound.programOf(rank).sequence(purpose).runs[run];
  const double end = seconds();
  const BoundSection &section = bound.section(rank, at);
  const int64_t microBatch = at.microBatch + section.instructions[instruction].instruction->microBatch;
  slots[firstOfRank[bound.ranks().placeOf(rank)] + at.firstEvent + instruction] = {
      rank,
      at.section,
      microBatch,
      instruction,
      start.seconds,
      end,
      start.work ? workSeconds(start.kernels) - *start.work : 0};
  return end;
}

} // namespace windlass
