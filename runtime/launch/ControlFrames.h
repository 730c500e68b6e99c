// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ControlFrames.h - what processes of a job say to each other ===========//
//
// Duty: the frames of the control channel (ControlChannel.h), and how a failure travels in one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/wire/Packing.h"

namespace windlass {

/// The frames.
enum ControlFrame : uint32_t {
  Hello,   ///< protocol, version, host, process number of the system, machine
  Refuse,  ///< why one may not join
  Welcome, ///< hosts and process numbers of all
  Beat,    ///< where the sender is
  Part,    ///< number of an exchange, what the sender brings
  Whole,   ///< number of an exchange, what all brought
  Fail,    ///< exit code and message of the sender's failure
  Verdict, ///< exit code and message of the job's failure
  Done,    ///< the sender has nothing more to do
  Bye,     ///< nobody has
  Unheard  ///< the process that the sender does not reach any more
};

inline std::string packStatus(const Status &status) {
  return Packing().add(static_cast<int32_t>(status.code())).addText(status.message()).take();
}

inline Status unpackStatus(std::string_view bytes) {
  Unpacking unpacking(bytes);
  const int32_t code = unpacking.get<int32_t>();
  return {static_cast<ExitCode>(code), std::string(unpacking.getText())};
}

/// Between two signs of life of a process.
inline constexpr double kBeatSeconds = 1;
inline constexpr int kNapMilliseconds = 100;

} // namespace windlass
