#include "passes/Register.h"

#include "mlir/Transforms/Passes.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Pipeline.h"

void windlass::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  graph::registerGraphPasses();
  graph::registerGraphPipelines();
}
