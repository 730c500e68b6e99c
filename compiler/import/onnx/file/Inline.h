// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inline.h - inlines the model-local functions of a file ==============//
//
// Duty: replaces each node that calls a model-local function by the function's nodes, until no call is left.
// References of the body to attributes get the values of the call. Errors: BadInput: recursive functions, or
// functions that expand to too many nodes. Threads: one model, one thread.
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
