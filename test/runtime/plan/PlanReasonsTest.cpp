// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reasons that contradict themselves are refused, each with its place.
#include "runtime/plan/Reasons.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include "test/runtime/plan/SmallPlan.h"

#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::plan;
using windlass::test::smallPlan;

namespace {

/// The error of the small plan with its reasons changed; empty if there is none.
template <typename Change> std::string refusalOfReasons(Change change) {
  Plan plan = smallPlan();
  change(plan.reasons);
  const Result<std::string> text = printPlan(plan);
  return text ? parsePlan(*text, "x").status().message() : text.status().message();
}

TEST(PlanReasons, ThatContradictThemselvesAreRefused) {
  using Reasons = std::vector<Reason>;
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons.push_back(reasons[0]); }),
            "x: reasons[2]: \"recompute\" has a reason before it");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[1].stage = 1; }),
            "x: reasons[1]: stage 1 is none of the plan's 1");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) {
              reasons.push_back(reasons[0]);
              reasons.back().stage = 0; // for all stages, and for one
            }),
            "");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].subject = "zero"; }),
            "x: reasons[0]: \"recompute\" is not decided for \"zero\"");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[1].subject = "moments"; }),
            "x: reasons[1]: \"prefetch\" is not decided for \"moments\"");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].trials[1].outcome = Outcome::Slower; }),
            "x: reasons[0]: 0 of the trials were taken: must be one");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].trials[0].outcome = Outcome::Taken; }),
            "x: reasons[0]: 2 of the trials were taken: must be one");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].taken = "none"; }),
            "x: reasons[0]: takes \"none\", but of the trials \"full\" was taken");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].trials[2].seconds = 0.2; }),
            "x: reasons[0].trials[2]: is slower, and takes less than what was taken");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].trials[2].outcome = Outcome::RuledOut; }),
            "x: reasons[0].trials[2]: must say what was refused if it is ruled out, and only then");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].trials[2].refusal = "too wide"; }),
            "x: reasons[0].trials[2]: must say what was refused if it is ruled out, and only then");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].trials[2].seconds = -1; }),
            "x: reasons[0].trials[2].seconds: -1.000000 is not from 0 to 1000000000000000.000000");
  EXPECT_EQ(
      refusalOfReasons([](Reasons &reasons) { reasons[0].figures.push_back({Figure::TrainedLayers, 4}); }),
      "x: reasons[0].figures.trained_layers: stands twice");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) { reasons[0].figures[0].second = 0.5; }),
            "x: reasons[0].figures.trained_layers: 0.500000 is no whole number up to 140737488355328");
  EXPECT_EQ(refusalOfReasons([](Reasons &reasons) {
              reasons[1].window.late = 1e300;
            }).rfind("x: reasons[1].window: ", 0),
            0u);
  EXPECT_EQ(refusalOfReasons([](Reasons &) {}), "");
}

} // namespace
