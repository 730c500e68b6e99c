// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InstructionTime.h - how long an instruction takes =====================//
//
// Duty: what an instruction does, apart from plan and IR, and the seconds that this takes. Whoever judges by
// time asks here: the planner for its flow instructions, the simulator for those of a plan.
// Units: bytes, seconds; of one rank, alone. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include <optional>

namespace windlass::model {

/// A launch of the library's matmul.
struct Product {
  plan::ElementType type = plan::ElementType::F32; ///< of its operands
  int64_t divisor = 0;                             ///< greatest of m, n and k; 0: not known
};

struct InstructionWork {
  plan::Opcode op = plan::Opcode::Launch;
  plan::Lane lane = plan::Lane::Compute;
  double bytes = 0;                    ///< launch: read and written; else: moved over the lane's link
  double flops = 0;                    ///< launch
  std::optional<Product> product = {}; ///< launch of the library's matmul
  RankGroup group = {};                ///< collectives: who takes part
  bool acrossNodes = false;            ///< messages: from one node to another
  std::string_view kernel = {};        ///< launch: its name in a plan
  double part = 1;                     ///< launch: of the kernel's range
  int64_t phases = 1;                  ///< launch: of a device, one behind the other
};

double secondsOf(const Machine &machine, const InstructionWork &work);
/// What binds a collective.
BindingLink bindingLinkOf(const Machine &machine, const InstructionWork &collective);

} // namespace windlass::model
