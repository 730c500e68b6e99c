// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Attributes.h - the kinds of attributes ================================//
//
// Duty: knows the kind of every attribute that the import reads. ONNX gives an attribute the same kind in all
// operators that have one of its name. Errors: BadInput: the attribute, its kind and the kind that it must
// have. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

/// Ok if no attribute of a node is of another kind than those who read it expect. They would take their
/// default for it. checkOperators (FoldConstants.h) checks every node of a file before any other step.
Status checkAttributes(const Node &node);

} // namespace windlass::onnx
