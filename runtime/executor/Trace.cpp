// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Trace.h"
#include <ctime>

namespace windlass {

Trace::Trace(const Program &program, const ExecutorOptions &options)
    : program(program), slots(options.recordTrace ? program.mostEvents() * program.rankCount() : 0),
      recordsWork(options.recordTrace && options.recordWork) {}

double Trace::workSeconds(const KernelLauncher *kernels) const {
  if (!recordsWork)
    return 0;
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec) +
         (kernels ? kernels->helperSeconds() : 0);
}

void Trace::begin(const Sequence &next) {
  sequence = &next;
  recorded = slots.empty() ? 0 : next.events * program.rankCount();
  began = Clock::now();
}

double Trace::record(size_t run, int64_t rank, uint32_t instruction, const Start &start) {
  if (slots.empty())
    return 0;
  const BoundRun &at = sequence->runs[run];
  const double end = seconds();
  const BoundSection &bound = program.section(rank, at);
  const int64_t microBatch = at.microBatch + bound.instructions[instruction].instruction->microBatch;
  slots[rank * sequence->events + at.firstEvent + instruction] = {
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
