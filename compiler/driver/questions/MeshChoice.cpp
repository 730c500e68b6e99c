// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/MeshChoice.h"

#include "compiler/driver/inputs/Mesh.h"
#include "compiler/driver/questions/FitQuestion.h"
#include "passes/Flow/layout/SimulateLayout.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include <algorithm>

namespace windlass {
namespace {

using Compiler = std::function<Result<plan::Plan>(const CompileRequest &)>;

/// What came of a mesh: a plan; or, in words, why there is none.
struct Tried {
  Mesh mesh;
  std::string why = {};
  plan::Prediction prediction = {}; ///< of a plan
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

class MeshSearch {
public:
  MeshSearch(const CompileRequest &request, const Compiler &compile) : request(request), compile(compile) {}

  Status tryMesh(const Mesh &mesh) {
    request.progress("planning with " + mesh.text());
    CompileRequest asked = triedOn(request, mesh);
    if (tried.empty()) { // said once
      asked.warn = request.warn;
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
    asked = triedOn(request, mesh);
    Result<plan::Plan> plan = compile(asked);
    if (!plan)
      return refuse(mesh, plan.status());
    tried.push_back({mesh, "", plan->prediction});
    if (!best || plan->prediction.stepSeconds < mostSeconds()) {
      best = MeshChoice{settledOn(request, mesh), plan.take()};
      taken = tried.size() - 1;
    }
    return Status::ok();
  }

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
    request.proposal(best->request.parallel, text + tried[taken].mesh.keys() +
                                                 " in the training file says the same; another number of "
                                                 "tensor ranks changes last bits\n");
    return std::move(*best);
  }

private:
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

  double mostSeconds() const { return best->plan.prediction.stepSeconds * (1 - flow::kNearly); }

  std::string outcomeOf(const Tried &one) const {
    if (!one.why.empty())
      return one.why;
    const plan::Prediction &fastest = best->plan.prediction;
    return formatSeconds(one.prediction.stepSeconds) + " a step" +
           (&one == &tried[taken] ? ", the fastest" : busierText(one.prediction, fastest));
  }

  const CompileRequest &request;
  const Compiler &compile;
  std::vector<Tried> tried;
  std::optional<MeshChoice> best;
  size_t taken = 0;              ///< of `tried`, where there is a best
  Status refusal = Status::ok(); ///< of the first mesh that could not be tried
};

} // namespace

Result<MeshChoice> chooseMesh(const CompileRequest &request, const Compiler &compile) {
  Result<std::vector<Mesh>> meshes = openMeshes(request);
  if (!meshes)
    return meshes.status();
  MeshSearch search(request, compile);
  for (const Mesh &mesh : *meshes)
    if (!mesh.crossesNodes || !search.hasFound())
      WINDLASS_TRY(search.tryMesh(mesh));
  return search.take();
}

} // namespace windlass
