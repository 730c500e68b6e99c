// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/MeshChoice.h"

#include "compiler/driver/inputs/Mesh.h"
#include "compiler/driver/questions/FitQuestion.h"
#include "compiler/driver/search/Trials.h"
#include "passes/Flow/layout/SimulateLayout.h"
#include "runtime/plan/Reasons.h"
#include <algorithm>
#include <set>

namespace windlass {
namespace {

/// What came of a mesh: a plan; or, in words, why there is none.
struct Tried {
  Mesh mesh;
  plan::Trial trial;
  plan::Prediction prediction = {}; ///< of a plan
  std::string why = {};             ///< of none
};

double busyIn(const plan::Prediction &prediction, plan::Lane lane) {
  const auto found = std::ranges::find(prediction.busy, lane, &std::pair<plan::Lane, double>::first);
  return found == prediction.busy.end() ? 0 : found->second;
}

/// The lane that has most more work than with the mesh that is taken; none where all have less, and a step
/// waits.
plan::Price priceOf(const plan::Prediction &prediction, const plan::Prediction &taken) {
  plan::Price price;
  for (const auto &[lane, seconds] : prediction.busy)
    if (const double before = busyIn(taken, lane); seconds - before > price.seconds - price.before)
      price = {*plan::fromText<plan::Resource>(plan::textOf(lane)), seconds, before};
  return price;
}

/// Limits of tiles that a planner chose; none where it chose none.
plan::Figures tilesOf(const plan::Plan &plan) {
  const plan::Reason *tile = plan::findReason(plan.reasons, plan::textOf(plan::Decision::Tile));
  return tile ? tile->figures : plan::Figures();
}

class MeshSearch {
public:
  MeshSearch(const CompileRequest &request, const PlanMaker &make) : request(request), make(make) {}

  /// Plans with the tiles that the training file says.
  Status tryMesh(const Mesh &mesh) {
    request.progress("planning with " + mesh.text());
    CompileRequest asked = triedOn(request, mesh);
    if (tried.empty()) { // of the model, said once
      asked.warn = [this](const std::string &text) { warn(text); };
      asked.account = request.account;
    }
    Result<std::unique_ptr<FitQuestion>> question = FitQuestion::of(asked);
    if (!question)
      return refuse(mesh, question.status());
    Result<FitAnswer> answer = (*question)->ask((*question)->machine());
    WINDLASS_TRY(answer.status());
    if (!answer->fits)
      return leave(mesh, infeasible(mesh.text(), answer->shortage), whyNot(*answer));
    if (const double least = best ? (*question)->leastSeconds() : 0; least > 0 && least > mostSeconds())
      return leave(mesh, atLeast(mesh.text(), least));
    return planOn(mesh);
  }

  /// Plans with tiles that are chosen, where no plan fits without.
  Status tryTiles(const Mesh &mesh) {
    request.progress("planning with " + mesh.text() + " and smaller tiles");
    return planOn(mesh);
  }

  /// Begins anew with all meshes.
  void begin() { before = std::exchange(tried, {}); }

  bool hasFound() const { return best.has_value(); }

  Result<MeshChoice> take() {
    if (!best && refusal)
      return Status::cannotFit("no plan fits " + request.hardware + " on any mesh\n" + refusals());
    if (!best)
      return refusal;
    std::ranges::for_each(warnings, [this](const std::string &warning) { warn(warning); });
    const plan::Prediction &fastest = best->made.plan.prediction;
    Trials trials;
    for (Tried &one : tried) {
      one.trial.price = priceOf(one.prediction, fastest);
      trials.push_back(one.trial);
    }
    best->reason =
        reasonOf(plan::Decision::Parallel, best->request.parallel, plan::Basis::Fastest, std::move(trials));
    return std::move(*best);
  }

private:
  Status planOn(const Mesh &mesh) {
    std::vector<std::string> said;
    CompileRequest asked = triedOn(request, mesh);
    asked.warn = [&](const std::string &text) { said.push_back(text); };
    Result<UnwrittenPlan> made = make(asked);
    if (!made && made.status().code() == ExitCode::CannotFit && !before.empty())
      return leaveAsBefore(mesh);
    if (!made)
      return refuse(mesh, made.status());
    const plan::Prediction &prediction = made->plan.prediction;
    leave(mesh, {.value = mesh.text(),
                 .clock = plan::Clock::LaidOut,
                 .seconds = prediction.stepSeconds,
                 .figures = tilesOf(made->plan)});
    tried.back().prediction = prediction;
    if (!best || prediction.stepSeconds < mostSeconds()) {
      best = MeshChoice{settledOn(request, mesh), made.take(), {}};
      warnings = std::move(said);
    }
    return Status::ok();
  }

  /// What came of a mesh when meshes were tried before, for no tiles help.
  Status leaveAsBefore(const Mesh &mesh) {
    const auto same = [&](const Tried &one) { return one.mesh.text() == mesh.text(); };
    tried.push_back(*std::ranges::find_if(before, same));
    return Status::ok();
  }

  /// Says what was not said before.
  void warn(const std::string &text) {
    if (warned.insert(text).second)
      request.warn(text);
  }

  Status leave(const Mesh &mesh, plan::Trial trial, const std::string &why = "") {
    trial.figures.insert(trial.figures.begin(),
                         {plan::Figure::MicroBatches, static_cast<double>(mesh.microBatches)});
    tried.push_back({mesh, std::move(trial), {}, why});
    return Status::ok();
  }

  /// What the model or another key of its files rules out leaves other meshes.
  Status refuse(const Mesh &mesh, const Status &status) {
    if (status.code() != ExitCode::BadInput)
      return status;
    if (refusal)
      refusal = status;
    request.progress(mesh.text() + ": " + status.message());
    return leave(mesh, {.value = mesh.text(), .outcome = plan::Outcome::RuledOut}, status.message());
  }

  double mostSeconds() const { return best->made.plan.prediction.stepSeconds * (1 - flow::kNearly); }

  /// "data=2,tensor=1: device is 3.03 MiB short", a line of each mesh where none has a plan.
  std::string refusals() const {
    std::string text;
    for (const Tried &one : tried)
      text += one.mesh.text() + ": " + one.why + "\n";
    return text;
  }

  const CompileRequest &request;
  const PlanMaker &make;
  std::vector<Tried> tried, before;
  std::optional<MeshChoice> best;
  std::vector<std::string> warnings; ///< of the best
  std::set<std::string> warned;
  Status refusal = Status::ok(); ///< of the first mesh that could not be tried
};

} // namespace

Result<MeshChoice> chooseMesh(const CompileRequest &request, const PlanMaker &make) {
  Result<std::vector<Mesh>> meshes = openMeshes(request);
  if (!meshes)
    return meshes.status();
  MeshSearch search(request, make);
  const auto tryAll = [&](Status (MeshSearch::*tryOne)(const Mesh &)) {
    search.begin();
    for (const Mesh &mesh : *meshes)
      if (!mesh.crossesNodes || !search.hasFound())
        WINDLASS_TRY((search.*tryOne)(mesh));
    return Status::ok();
  };
  WINDLASS_TRY(tryAll(&MeshSearch::tryMesh));
  if (!search.hasFound() && request.chooseTiles)
    WINDLASS_TRY(tryAll(&MeshSearch::tryTiles));
  return search.take();
}

} // namespace windlass
