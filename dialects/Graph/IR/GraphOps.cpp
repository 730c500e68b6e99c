// The generated op classes.

#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace windlass::graph;

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphOps.cpp.inc"
