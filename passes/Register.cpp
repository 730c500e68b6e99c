#include "passes/Register.h"

#include "mlir/Transforms/Passes.h"

void windlass::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
}
