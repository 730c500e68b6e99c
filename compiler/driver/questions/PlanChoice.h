// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanChoice.h - the request whose plan is fastest ======================//
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

/// A plan whose files are not written yet; or the trial of one that was left as slow.
struct UnwrittenPlan {
  plan::Plan plan;
  std::optional<plan::Trial> slow = {};
  /// Adds the reasons of the choices that led to the plan, and writes it to the request's folder.
  std::function<Result<plan::Plan>(const CompileRequest &request, const std::vector<plan::Reason> &choices)>
      write;
};

/// Makes a plan of a request that leaves nothing to be chosen.
using PlanMaker = std::function<Result<UnwrittenPlan>(const CompileRequest &request)>;

/// One of the requests to choose from.
struct Option {
  std::string text; ///< its name in the record of its trial
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

  /// Tries an option with the tiles of the training file. True: its plan is the best so far.
  Result<bool> tryOption(const Option &option);
  /// Tries an option with tiles that the planner chooses, if no plan fits otherwise. True: its plan is the
  /// best so far.
  Result<bool> tryTiles(const Option &option);
  /// Records an option that nothing can be planned for, and why.
  void ruleOut(const Option &option, const std::string &why);
  /// Adds an option whose plan was made before. True: it is the best so far.
  bool add(const Option &option, UnwrittenPlan made);
  /// Starts another round in which all options are tried again.
  void begin() { before = std::exchange(tried, {}); }
  bool hasFound() const { return best.has_value(); }
  const UnwrittenPlan &found() const { return best->made; }
  /// The failure of the first option that could not be planned; ok if there is none.
  const Status &refusal() const { return refused; }
  /// The best option, with the reason that records all trials. `where`: for the message if no plan fits, "on
  /// any mesh".
  Result<Choice> finish(const std::string &where);

private:
  /// The result of an option: a plan; or, in words, why it has none.
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
