// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/GraphExchange.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/Graph/IR/GraphDialect.cpp.inc"
#include "dialects/Graph/IR/GraphEnums.cpp.inc"
#include "dialects/Graph/IR/GraphInterfaces.cpp.inc"

using namespace windlass::graph;
#define GET_ATTRDEF_CLASSES
#include "dialects/Graph/IR/GraphAttrs.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Graph/IR/GraphAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Graph/IR/GraphOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Graph/IR/GraphExchangeOps.cpp.inc"
      >();
}
