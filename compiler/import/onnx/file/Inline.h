// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inline.h - calls of a file's own functions become their bodies ======//
//
// Duty: replaces each node that calls a model-local function by the function's
// nodes, until none is left; attributes of the call are put where the body refers
// to them.
// Errors: BadInput: functions that call each other in a circle, or grow without end.
// Threads: one model, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"

namespace windlass::onnx {

namespace wire {
class Model;
}

constexpr int kMostNodes = 1 << 20;

Status inlineFunctions(wire::Model &model);

} // namespace windlass::onnx
