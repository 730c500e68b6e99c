// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction ops of the plan dialect are the instructions of the runtime.

#include "dialects/Plan/IR/PlanDialect.h"
#include "gtest/gtest.h"
#include <set>

namespace windlass::plandialect {
namespace {

TEST(PlanInstructions, AreThoseOfTheRuntimesTable) {
  std::set<std::string> table;
#define WINDLASS_INSTRUCTION(Id, Text, Lanes, Operands, Doc) table.insert("plan." Text);
#include "runtime/plan/Instructions.def"

  mlir::MLIRContext context;
  context.loadDialect<PlanDialect>();
  // Ops to which instructions refer are on no lane.
  const std::set<std::string> referredTo = {"plan.arena", "plan.buffer", "plan.state", "plan.section",
                                            "plan.schedule"};
  std::set<std::string> dialect;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getStringRef().starts_with("plan.") && !referredTo.count(name.getStringRef().str()))
      dialect.insert(name.getStringRef().str());
  EXPECT_EQ(dialect, table);
}

} // namespace
} // namespace windlass::plandialect
