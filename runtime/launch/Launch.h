// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Launch.h - what a launcher says of this process =======================//
//
// Duty: reads from the environment which of how many processes this one is, which on its host, and where the
// first one waits for the others. mpirun says it in OMPI_COMM_WORLD_*, mpiexec of MPICH in PMI_*, srun in
// SLURM_*, torchrun and `windlass-run --ranks` in RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT.
// mpirun inside of a Slurm allocation passes on what Slurm says of mpirun itself: SLURM_* count only where no
// other launcher of MPI speaks.
// Errors: BadInput where two of them contradict each other, both variables and values named, or where a
// number is none. Threads: pure function of the environment.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/wire/Socket.h"
#include <functional>
#include <optional>

namespace windlass {

/// A process among those of its job.
struct LaunchPlace {
  int64_t process = 0, processes = 1;
  int64_t localProcess = 0;   ///< on its host
  int64_t localProcesses = 0; ///< there; 0: not said
  std::string launcher;       ///< "mpirun"
  bool mergesOutput = false;  ///< whether that launcher shows in one place what all processes print
  bool speaksMpi = false;     ///< whether that launcher starts processes that find each other through MPI
  std::optional<Endpoint> meeting; ///< where the first process waits; null: MPI tells
  std::string token;               ///< of the job; "": MPI tells
  int listening = -1;              ///< a descriptor on which the first process already waits; -1: none
};

/// The value of a variable, or null.
using Environment = std::function<const char *(const char *name)>;

/// None: nobody launched this process as one of several.
Result<std::optional<LaunchPlace>> readLaunch(const Environment &environment);

/// A token for a new job: 32 digits that nobody guesses.
std::string freshToken();

/// The variables of a process that `windlass-run --ranks` starts, which readLaunch() reads.
inline constexpr const char *kTokenVariable = "WINDLASS_JOB_TOKEN",
                            *kListeningVariable = "WINDLASS_JOB_LISTENING";

} // namespace windlass
