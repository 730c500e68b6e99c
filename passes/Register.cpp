// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Register.h"

#include "mlir/Transforms/Passes.h"
#include "passes/Dist/Passes.h"
#include "passes/Dist/Pipeline.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/Pipeline.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Pipeline.h"
#include "passes/Graph/SplitPasses.h"
#include "passes/Plan/Passes.h"

void windlass::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  graph::registerGraphPasses();
  graph::registerGraphSplitPasses();
  dist::registerDistPasses();
  flow::registerFlowPasses();
  plandialect::registerPlanPasses();
  graph::registerGraphPipelines();
  dist::registerDistPipelines();
  flow::registerFlowPipelines();
}
