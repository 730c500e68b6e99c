// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/Fit.h"

#include "compiler/driver/candidates/StageLags.h"
#include "compiler/driver/candidates/TileBounds.h"
#include "compiler/driver/capacity/FeasibilityCandidates.h"
#include "compiler/driver/capacity/Refusal.h"
#include "compiler/driver/inputs/Mesh.h"
#include "compiler/driver/questions/FitQuestion.h"
#include "compiler/driver/search/PlanSearch.h"
#include "runtime/base/Counted.h"
#include "runtime/plan/text/ReasonText.h"

namespace windlass {

Result<std::unique_ptr<FitQuestion>> FitQuestion::of(const CompileRequest &request) {
  Result<Inputs> inputs = readInputs(request);
  if (!inputs)
    return inputs.status();
  std::unique_ptr<FitQuestion> question(new FitQuestion(inputs.take()));
  WINDLASS_TRY(question->import(request));
  return question;
}

Status FitQuestion::import(const CompileRequest &request) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importInputs(context, request, inputs.training);
  if (!module)
    return module.status();
  WINDLASS_TRY(checkRanks(request, inputs.training, inputs.machine));
  imported = module.take();
  levels.emplace(inputs.training, inputs.machine, inputs.target, "");
  WINDLASS_TRY(levels->describeSplits(*imported, request.training).status());
  WINDLASS_TRY(TileBounds(*levels, inputs.training).check(*imported, request.training));
  WINDLASS_TRY(levels->checkKept(*imported));
  WINDLASS_TRY(describeModel(*imported, facts));
  WINDLASS_TRY(checkShards(request, inputs.training, facts.parameters));
  WINDLASS_TRY(checkStages(inputs.training, facts.layers, request.training, request.decisions()));
  planner.emplace(inputs.training, *levels, std::make_shared<ModelGraphs>(*imported));
  return Status::ok();
}

/// Keeps the shortage if it says more than what is known: that of a plan more than a bound, and of two of a
/// kind the smaller.
static void note(FitAnswer &answer, std::optional<plan::Shortage> shortage, bool isBound) {
  if (!shortage)
    return;
  if (answer.shortage && (answer.isBound == isBound ? answer.shortage->bytes <= shortage->bytes : isBound))
    return;
  answer.shortage = std::move(shortage);
  answer.isBound = isBound;
}

Result<FitAnswer> FitQuestion::ask(const model::Machine &machine) {
  const int64_t trained = trainedParameters(*imported);
  if (Status far = refuseFarTooLarge(trained, inputs.training, machine); !far)
    return FitAnswer{false, facts.parameters, "", std::nullopt, far.message()};
  Result<FeasibilityCandidates> candidates =
      FeasibilityCandidates::of(inputs.training, {facts.layers, trained}, *planner);
  if (!candidates)
    return candidates.status();
  FitAnswer answer{false, facts.parameters};
  for (size_t index = 0; index < candidates->size(); ++index) {
    Result<std::optional<plan::Shortage>> certain = candidates->certainShortage(index, machine);
    WINDLASS_TRY(certain.status());
    if (*certain) {
      note(answer, certain.take(), /*isBound=*/true);
      continue;
    }
    std::optional<plan::Shortage> shortage;
    Result<Planned> planned =
        candidates->plan(index, machine, {.ask = Ask::WhetherItFits, .shortage = &shortage});
    if (planned)
      return yes(planned->candidate);
    if (!cannotFit(planned.status()))
      return planned.status();
    answer.why = planned.status().message();
    note(answer, std::move(shortage), /*isBound=*/false);
  }
  return answer;
}

double FitQuestion::leastSeconds() {
  const PlanSearch::Progress silent = [](const std::string &) {};
  return PlanSearch(inputs.training, inputs.machine, {facts.layers, trainedParameters(*imported)}, *planner,
                    silent)
      .leastSeconds(PlanSearch::Lower::Few);
}

Result<std::vector<int64_t>> FitQuestion::smallerTiles(int64_t mostTiles) {
  return TileBounds(*levels, inputs.training).smallerLimits(*imported, mostTiles);
}

FitAnswer FitQuestion::yes(const Candidate &candidate) const {
  return {true, facts.parameters,
          "recompute " + word(candidate.recompute) + ", ZeRO stage " + std::to_string(candidate.zero)};
}

/// Tries meshes until one fits. A model that cannot be shared out over the ranks of one mesh may be over
/// those of another.
static Result<FitAnswer> checkFitOnSomeMesh(const CompileRequest &request) {
  Result<std::vector<Mesh>> meshes = openMeshes(request);
  WINDLASS_TRY(meshes.status());
  Result<FitAnswer> first = Status::badInput("no mesh");
  for (const Mesh &mesh : *meshes) {
    if (!mesh.refusal.empty())
      continue;
    Result<FitAnswer> answer = checkFit(settledOn(request, mesh));
    if (answer && answer->fits) {
      answer->how = mesh.text() + ", " + answer->how;
      return answer;
    }
    if (!first)
      first = std::move(answer);
  }
  return first;
}

Result<FitAnswer> checkFit(const CompileRequest &request) {
  if (request.parallel == kOpenMesh)
    return checkFitOnSomeMesh(request);
  Result<std::unique_ptr<FitQuestion>> question = FitQuestion::of(request);
  if (!question)
    return question.status();
  return (*question)->ask((*question)->machine());
}

std::string whyNot(const FitAnswer &answer) {
  if (!answer.shortage)
    return answer.why;
  return answer.shortage->of == plan::Lack::EveryTier
             ? "the states fit no tier"
             : plan::shortageBriefly(*answer.shortage, answer.isBound);
}

std::string describe(const FitAnswer &answer) {
  return answer.fits ? "yes: with " + answer.how : "no: " + whyNot(answer);
}

} // namespace windlass
