// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RandomSchedule.h - random schedule problems ===========================//
//
// Duty: draws well-formed problems of up to 40 tasks on all lanes, with groups, phases and buffers. In
// program order, the tasks fit the capacities.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Schedule/ScheduleProblem.h"
#include <random>

namespace windlass::test {

planning::ScheduleProblem randomSchedule(std::mt19937 &random);

} // namespace windlass::test
