// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RandomSchedule.h - any schedule problem that is well formed =========//
//
// Duty: problems of up to 40 tasks on all lanes, with groups, phases and buffers, that fit in program order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"
#include <random>

namespace windlass::test {

planning::ScheduleProblem randomSchedule(std::mt19937 &random);

} // namespace windlass::test
