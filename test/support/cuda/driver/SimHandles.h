// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimHandles.h - handles of a simulated driver ==========================//
//
// Duty: handles of streams, events, modules and functions. A handle is never used twice, so that the use of a
// destroyed object and that of an unknown handle differ from that of a live object. Threads: the caller
// locks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/driver/SimDriver.h"

namespace windlass::test {

template <typename Thing> void *SimDriver::add(Handles<Thing> &handles, Thing thing) {
  const uint64_t handle = 8 * ++handlesMade;
  handles.live.emplace(handle, std::move(thing));
  return reinterpret_cast<void *>(handle);
}

template <typename Thing>
Thing *SimDriver::find(Handles<Thing> &handles, const void *handle, const char *call) {
  const auto number = reinterpret_cast<uint64_t>(handle);
  if (const auto found = handles.live.find(number); found != handles.live.end())
    return &found->second;
  broke(handles.gone.contains(number) ? SimRule::UsedAfterEnd : SimRule::UnknownHandle,
        std::string(call) + ": a " + handles.kind, cuda::CuResult::InvalidHandle);
  return nullptr;
}

template <typename Thing>
cuda::CuResult SimDriver::end(Handles<Thing> &handles, const void *handle, const char *call) {
  if (!find(handles, handle, call))
    return cuda::CuResult::InvalidHandle;
  const auto number = reinterpret_cast<uint64_t>(handle);
  handles.live.erase(number);
  handles.gone.insert(number);
  return cuda::CuResult::Success;
}

} // namespace windlass::test
