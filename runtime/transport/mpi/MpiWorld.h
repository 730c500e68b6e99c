// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MpiWorld.h - the processes that an MPI launcher started ===============//
//
// Duty: MPI behind the seam ByteNetwork. It moves bytes and makes no sums: MPI's own are in an order of its
// choice. The code that speaks MPI is a file of its own, lib/windlass/windlass-mpi.so, opened where a
// launcher of MPI asks for it: so one windlass-run trains with and without MPI on the machine. Threads:
// `makeGroup`, `tell` and `close` by one thread; groups as ByteGroup; MPI must allow that many threads call
// it at once (MPI_THREAD_MULTIPLE). Errors: CannotFit naming the file or what the MPI library lacks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/ByteNetwork.h"
#include <string>

namespace windlass {

class MpiWorld : public ByteNetwork {
public:
  /// Initialises MPI; once in a process.
  static Result<std::unique_ptr<MpiWorld>> open();

  virtual int64_t process() const = 0;
  virtual int64_t processes() const = 0;
  /// "Open MPI v4.1.4"
  virtual std::string library() const = 0;
  /// What the first process says, to all.
  virtual Result<std::string> tell(std::string text) = 0;
  /// With all other processes; a job that failed must not.
  virtual void close() = 0;
};

/// What windlass-mpi.so exports, under this name.
using MakeMpiWorld = void (*)(Result<std::unique_ptr<MpiWorld>> *out);
inline constexpr const char *kMakeMpiWorld = "windlassMakeMpiWorld";

} // namespace windlass
