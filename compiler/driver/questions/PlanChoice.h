// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanChoice.h - the request whose plan is fastest ====================//
//
// Duty: of several requests about one model, the one whose step is simulated as fastest; of nearly equal
// ones the first. A plan is made for each, unless a bound says that none fits or that all are slower. What
// came of each is recorded as a trial of one decision.
// Errors: CannotFit where no request has a plan, with what came of each; BadInput where none can be planned.
// Threads: as compile(). Ownership: refers to the request that was asked and to the maker.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <functional>
#include <optional>
#include <set>

namespace windlass {

/// A plan that no file has yet; or the trial of one that was left, for it takes longer than is wanted.
struct UnwrittenPlan {
  plan::Plan plan;
  std::optional<plan::Trial> slow = {};
  /// Adds the reasons of the choices that it was made by, and writes it where the request wants it.
  std::function<Result<plan::Plan>(const CompileRequest &request, const std::vector<plan::Reason> &choices)>
      write;
};

/// Makes a plan of a request that leaves nothing to be chosen.
using PlanMaker = std::function<Result<UnwrittenPlan>(const CompileRequest &request)>;

/// A request to choose, or not.
struct Option {
  std::string text; ///< as the record of its trial calls it
  CompileRequest request;
  plan::Figures figures = {}; ///< of its trial
};

struct Choice {
  Option option;
  UnwrittenPlan made;  ///< for it
  plan::Reason reason; ///< what came of each option
};

class PlanChoice {
public:
  PlanChoice(const CompileRequest &asked, plan::Decision decision, const PlanMaker &make)
      : asked(asked), decision(decision), make(make) {}

  /// Plans with the tiles that the training file says. True: it is the best so far.
  Result<bool> tryOption(const Option &option);
  /// The same with tiles that are chosen, where no plan fits without.
  Result<bool> tryTiles(const Option &option);
  /// A plan that was made already. True: it is the best so far.
  bool add(const Option &option, UnwrittenPlan made);
  /// Begins anew with all options.
  void begin() { before = std::exchange(tried, {}); }
  bool hasFound() const { return best.has_value(); }
  const UnwrittenPlan &found() const { return best->made; }
  /// What was wrong with the first option that could not be planned.
  const Status &refusal() const { return refused; }
  /// `where`: of a refusal, "on any mesh".
  Result<Choice> finish(const std::string &where);

private:
  /// What came of an option: a plan; or, in words, why there is none.
  struct Tried {
    std::string option;
    plan::Trial trial;
    plan::Prediction prediction = {}; ///< of a plan
    std::string why = {};             ///< of none
  };

  Result<bool> planOption(const Option &option);
  void record(const Option &option, plan::Trial trial, const std::string &why = "");
  Result<bool> recordRefusal(const Option &option, const Status &status);
  void recordAsBefore(const Option &option);
  void warn(const std::string &text);
  double mostSeconds() const;
  std::string refusals() const;

  const CompileRequest &asked;
  plan::Decision decision;
  const PlanMaker &make;
  std::vector<Tried> tried, before;
  std::optional<Choice> best;
  std::vector<std::string> warnings; ///< of the best
  std::set<std::string> warned;
  Status refused = Status::ok();
};

} // namespace windlass
