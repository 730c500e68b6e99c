// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sections.h - sections by the names of the compiler ====================//
//
// Duty: finds sections by name, and sets the schedules of plans that are written by hand. Reads and changes
// the first program of a plan.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <string_view>
#include <vector>

namespace windlass::test {

/// Returns null if there is no such section.
const plan::Section *sectionNamed(const plan::Plan &plan, std::string_view name);

/// The sections of a training step in their order, each as often as it runs.
std::vector<const plan::Section *> stepSections(const plan::Plan &plan);

/// A step runs "only", which has all its micro-batches, or "first", "middle" and "last", which have one each.
/// "evaluate" and "sample" run alone.
void setSchedules(plan::Plan &plan);

} // namespace windlass::test
