// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StagingHomes.h - where sums over ranks are staged =====================//
//
// Duty: the homes on the device, one for each lane of collectives, in which a transport keeps what other
// ranks bring to a sum until it is added up. A lane runs one collective at a time, so that all of its sums
// share one; it is as large as the largest of them takes at once, and no larger than a device asks for
// (runtime/plan/Devices.def). Instructions name it from the plan level on (LowerToPlan): nothing before that
// could order collectives of a lane otherwise than they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include <string>

namespace windlass::flow {

std::string stagingHome(Lane lane);
/// Ranks whose terms a collective adds up; 1 where it moves bytes alone.
int64_t ranksOfSum(CollectiveOpInterface collective);
/// Declares those that the module's sections need, of at most so many bytes; 0: the device needs none.
void declareStagingHomes(mlir::OpBuilder &builder, mlir::ModuleOp module, int64_t most);

} // namespace windlass::flow
