// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/MeshChoice.h"

#include "compiler/driver/inputs/Mesh.h"
#include "compiler/driver/questions/FitQuestion.h"
#include "passes/Flow/layout/SimulateLayout.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/text/ReasonText.h"
#include <algorithm>
#include <set>

namespace windlass {
namespace {

/// What came of a mesh: a plan; or, in words, why there is none.
struct Tried {
  Mesh mesh;
  std::string why = {};
  plan::Prediction prediction = {}; ///< of a plan
  plan::Figures tiles = {};         ///< limits that were chosen for it
};

double busyIn(const plan::Prediction &prediction, plan::Lane lane) {
  const auto found = std::ranges::find(prediction.busy, lane, &std::pair<plan::Lane, double>::first);
  return found == prediction.busy.end() ? 0 : found->second;
}

/// ", for gg is busy 9.00 s, 6.00 s more": the lane that has most more work than with the mesh that is taken.
/// Empty where all have less, and a step waits.
std::string busierText(const plan::Prediction &prediction, const plan::Prediction &taken) {
  std::string text;
  double most = 0;
  for (const auto &[lane, seconds] : prediction.busy)
    if (const double more = seconds - busyIn(taken, lane); more > most) {
      most = more;
      text = ", for " + std::string(plan::textOf(lane)) + " is busy " + formatSeconds(seconds) + ", " +
             formatSeconds(more) + " more";
    }
  return text;
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
      return leave(mesh, whyNot(*answer));
    if (const double least = best ? (*question)->leastSeconds() : 0; least > 0 && least > mostSeconds())
      return leave(mesh, "at least " + formatSeconds(least) + " a step");
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
    std::string text;
    for (const Tried &one : tried)
      text += one.mesh.text() + ", " + counted(one.mesh.microBatches, "micro-batch") + ": " + outcomeOf(one) +
              "\n";
    if (!best && refusal)
      return Status::cannotFit("no plan fits " + request.hardware + " on any mesh\n" + text);
    if (!best)
      return refusal;
    std::ranges::for_each(warnings, [this](const std::string &warning) { warn(warning); });
    const Tried &fastest = tried[taken];
    const std::string keys =
        fastest.mesh.keys() + (fastest.tiles.empty() ? "" : ", " + plan::tileKeysText(fastest.tiles));
    request.proposal(best->request.parallel, text + keys +
                                                 " in the training file says the same; another number of "
                                                 "tensor ranks changes last bits\n");
    return std::move(*best);
  }

private:
  Status planOn(const Mesh &mesh) {
    std::vector<std::string> said;
    CompileRequest asked = triedOn(request, mesh);
    asked.warn = [&](const std::string &text) { said.push_back(text); };
    Result<UnwrittenPlan> made = make(asked);
    if (!made && made.status().code() == ExitCode::CannotFit && !before.empty())
      return leave(mesh, whyBefore(mesh) + ", and no tiles help");
    if (!made)
      return refuse(mesh, made.status());
    tried.push_back({mesh, "", made->plan.prediction, tilesOf(made->plan)});
    if (!best || made->plan.prediction.stepSeconds < mostSeconds()) {
      best = MeshChoice{settledOn(request, mesh), made.take()};
      warnings = std::move(said);
      taken = tried.size() - 1;
    }
    return Status::ok();
  }

  /// Why a mesh had no plan when meshes were tried before.
  std::string whyBefore(const Mesh &mesh) const {
    const auto same = [&](const Tried &one) { return one.mesh.text() == mesh.text(); };
    const auto found = std::ranges::find_if(before, same);
    return found == before.end() ? "does not fit" : found->why;
  }

  /// Says what was not said before.
  void warn(const std::string &text) {
    if (warned.insert(text).second)
      request.warn(text);
  }

  Status leave(const Mesh &mesh, const std::string &why) {
    tried.push_back({mesh, why});
    return Status::ok();
  }

  /// What the model or another key of its files rules out leaves other meshes.
  Status refuse(const Mesh &mesh, const Status &status) {
    if (status.code() != ExitCode::BadInput)
      return status;
    if (refusal)
      refusal = status;
    return leave(mesh, status.message());
  }

  double mostSeconds() const { return best->made.plan.prediction.stepSeconds * (1 - flow::kNearly); }

  std::string outcomeOf(const Tried &one) const {
    if (!one.why.empty())
      return one.why;
    const plan::Prediction &fastest = best->made.plan.prediction;
    return (one.tiles.empty() ? "" : plan::tilesText(one.tiles) + ", ") +
           formatSeconds(one.prediction.stepSeconds) + " a step" +
           (&one == &tried[taken] ? ", the fastest" : busierText(one.prediction, fastest));
  }

  const CompileRequest &request;
  const PlanMaker &make;
  std::vector<Tried> tried, before;
  std::optional<MeshChoice> best;
  std::vector<std::string> warnings; ///< of the best
  std::set<std::string> warned;
  size_t taken = 0;              ///< of `tried`, where there is a best
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
