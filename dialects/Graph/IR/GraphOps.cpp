// Verifiers, folds and canonicalisations of the graph ops.

#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace windlass::graph;

#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphOps.cpp.inc"
