#include "runtime/executor/Trace.h"

namespace windlass {

Trace::Trace(const Program &program, bool keep)
    : program(program), slots(keep ? program.mostEvents() * program.rankCount() : 0) {}

void Trace::begin(const Sequence &next) {
  sequence = &next;
  recorded = slots.empty() ? 0 : next.events * program.rankCount();
  began = Clock::now();
}

void Trace::record(size_t run, int64_t rank, uint32_t instruction, double start) {
  if (slots.empty())
    return;
  const SectionRun &section = sequence->sections[run];
  slots[rank * sequence->events + section.firstEvent + instruction] = {
      rank, program.section(rank, section.section).kind, section.microBatch, instruction, start, seconds()};
}

} // namespace windlass
