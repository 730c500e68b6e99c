// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generated op classes.

#include "dialects/Graph/IR/GraphDialect.h"

#include "dialects/Graph/IR/EnumWord.h"

using namespace mlir;
using namespace windlass::graph;

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphOps.cpp.inc"
