// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Stream.h - work that a device does by itself ==========================//
//
// Duty: one lane's queue on the device of one rank. Copies, kernels and collectives are enqueued on it and
// run in that order; marks say after which of them an instruction is complete. Where a device has no streams,
// the stream of every call is null and the call returns when its work is done.
// Units: instructions, counted from 1 as the lane does; at most `depth` are marked and not finished, so that
// a ring of `depth` events holds all marks.
// Threads: work, `mark` and `startAfter` from one; `finish` from another; `startAfter` of any other stream
// while this one marks.
// Errors: work that fails is the error of the next `finish`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>

namespace windlass {

class Stream {
public:
  /// Waits for everything enqueued; of a stopped stream, not for ever.
  virtual ~Stream() = default;

  /// Everything enqueued until now belongs to instruction `count` or to those before it.
  virtual Status mark(uint32_t count) = 0;

  /// What is enqueued from now on starts after instruction `count` of another stream of the same device,
  /// which has been marked. If `count` + depth has been marked since, it may as well start after that one: it
  /// was marked before this call, so it waits for nothing that is yet to come.
  virtual Status startAfter(Stream &other, uint32_t count) = 0;

  /// Blocks until instruction `count` is complete, which has been marked.
  virtual Status finish(uint32_t count) = 0;

  /// From now on `finish` fails where the instruction is not complete, also where it waits already: the
  /// device may never come to it. For good; from any thread.
  virtual void stop() = 0;
};

} // namespace windlass
