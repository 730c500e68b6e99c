// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trainer_state.json is refused with its file's name, or has the state of a run.
#include "runtime/training/checkpoint/TrainerState.h"
#include "test/fuzz/MemoryFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  const fuzz::MemoryFile memory(data, size);
  Result<TrainerState> state = readTrainerState(memory.path());
  if (!state && !state.status().message().starts_with(memory.path()))
    std::abort();
  if (state && (state->step < 0 || state->dataPosition < 0))
    std::abort();
  if (state)
    for (const auto &[name, hash] : state->files)
      if (name.empty() || name.find('/') != std::string::npos)
        std::abort();
  return 0;
}
