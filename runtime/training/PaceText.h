// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PaceText.h - what --pace says =========================================//
//
// Duty: link rates from "cg_in=12GB/s+5us,nc_in=3GB/s" or from a hardware file
// ("windlass.hardware/1", what was measured before what was declared). A file's
// cg and gg rates are one device's: the clock all ranks share runs at their sum.
// Errors: Usage, for a file BadInput, naming the link and the value found.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/plan/Plan.h"

namespace windlass {

struct PacedLink {
  plan::Lane lane = plan::Lane::CgIn;
  double bytesPerSecond = 0, latencySeconds = 0;
};

Result<std::vector<PacedLink>> readPace(const std::string &specification, int64_t ranks);

} // namespace windlass
