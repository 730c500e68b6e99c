// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Inline.h - inlines the model-local functions of a file ================//
//
// Duty: replaces each node that calls a model-local function by the function's nodes, until no call is left.
// References of the body to attributes get the values of the call. ONNX leaves it to its readers whether a
// function or the standard operator of its name counts: here the function does. Errors: BadInput: recursive
// functions, functions that expand to too many nodes, or two of one name. Threads: one model, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string_view>

namespace windlass::onnx {

namespace wire {
class Model;
}

constexpr int kMostNodes = 1 << 20;

/// Whether a domain is that of the standard operators, which has two spellings.
inline bool isStandard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

Status inlineFunctions(wire::Model &model);

} // namespace windlass::onnx
