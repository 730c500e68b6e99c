// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/Selection.h"

#include "compiler/training/Patterns.h"
#include <algorithm>
#include <functional>

namespace windlass {
namespace {

/// Checks every pattern by a rule; the error names the flag or key of the pattern.
Status checkEach(const CompileRequest &request, const TrainingOptions &training,
                 const std::function<Status(const std::string &pattern, bool isFlag)> &rule) {
  for (const auto &[key, flags, patterns] :
       {std::tuple("freeze", &request.freeze, &training.freeze),
        std::tuple("trainable", &request.trainable, &training.trainable)})
    for (const std::string &pattern : *patterns) {
      const bool isFlag = std::ranges::count(*flags, pattern) > 0;
      const std::string place = isFlag ? "--" + std::string(key) : request.training + ": " + key;
      WINDLASS_TRY(rule(pattern, isFlag).in(place));
    }
  for (const auto &[pattern, decay] : training.weightDecay.byName)
    if (pattern != WeightDecay::kOthers)
      WINDLASS_TRY(rule(pattern, false).in(request.training + ": optimizer.weight_decay"));
  return Status::ok();
}

} // namespace

Status addSelection(const CompileRequest &request, TrainingOptions &training) {
  training.freeze.insert(training.freeze.end(), request.freeze.begin(), request.freeze.end());
  training.trainable.insert(training.trainable.end(), request.trainable.begin(), request.trainable.end());
  return checkEach(request, training, [](const std::string &pattern, bool isFlag) {
    const Status status = Patterns::compile({pattern}).status();
    return !status && isFlag ? Status(ExitCode::Usage, status.message()) : status;
  });
}

Status checkSelection(const CompileRequest &request, const TrainingOptions &training,
                      const StateNames &names) {
  return checkEach(request, training, [&](const std::string &pattern, bool) {
    Result<Patterns> compiled = Patterns::compile({pattern});
    if (!compiled)
      return compiled.status();
    const auto isMeant = [&](const std::string &name) { return compiled->match(name); };
    if (std::ranges::any_of(names.parameters, isMeant))
      return Status::ok();
    const auto statistic = std::ranges::find_if(names.statistics, isMeant);
    if (statistic == names.statistics.end())
      return Status::badInput("\"" + pattern + "\" matches no parameter");
    return Status::badInput("\"" + pattern + "\" matches running statistics alone (\"" + *statistic +
                            "\"), which batches change, whether their batch norm is frozen or not");
  });
}

} // namespace windlass
