// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sections.h - sections by the names that the compiler gives ==========//
//
// Duty: finds the section of a name, and makes the schedules of plans that are
// written by hand.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <string_view>
#include <vector>

namespace windlass::test {

/// Null where the plan has none.
const plan::Section *sectionNamed(const plan::Plan &plan, std::string_view name);

/// Of a step, one after the other, as often as each runs.
std::vector<const plan::Section *> stepSections(const plan::Plan &plan);

/// A step is "only", which has all its micro-batches, or "first", "middle" and "last", which have one each;
/// "evaluate" and "sample" stand alone.
void setSchedules(plan::Plan &plan);

} // namespace windlass::test
