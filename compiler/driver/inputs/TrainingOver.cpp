// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/TrainingOver.h"

#include "compiler/driver/inputs/Mesh.h"
#include "runtime/base/File.h"
#include "runtime/base/ParseNumber.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

/// Keys of "parallel" in the training file.
constexpr std::string_view kAxes[] = {"data", "tensor", "pipeline"};

/// Parses "data=2,tensor=2" to keys of the training file.
Result<nlohmann::json> parseAxes(std::string_view text) {
  const auto refuse = [](const std::string &what) {
    return Status(ExitCode::Usage,
                  "--parallel: must be axes as data=2,tensor=2,pipeline=2, each at most once, " + what);
  };
  nlohmann::json axes = nlohmann::json::object();
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma), name = entry.substr(0, entry.find('='));
    const std::string_view size = entry.substr(std::min(name.size() + 1, entry.size()));
    int64_t ranks = 0;
    const bool isCount = parseNumber(size, ranks);
    const bool isLeftOver = name == "pipeline" && size == "auto";
    if (std::ranges::count(kAxes, name) == 0 || (!isCount && !isLeftOver))
      return refuse("found \"" + std::string(entry) + "\"");
    if (axes.contains(name))
      return refuse("found " + std::string(name) + " twice");
    axes[std::string(name)] = isCount ? nlohmann::json(ranks) : nlohmann::json(size);
    if (comma == std::string_view::npos)
      return axes;
    text.remove_prefix(comma + 1);
  }
}

/// The keys that replace those of the training file.
nlohmann::json overOf(const CompileRequest &request) {
  return request.whatIf.training.empty() ? nlohmann::json::object()
                                         : nlohmann::json::parse(request.whatIf.training);
}

} // namespace

Result<TrainingOptions> readTraining(const CompileRequest &request) {
  if (request.parallel == kOpenMesh)
    return Status(ExitCode::Usage, "--parallel: auto is answered by a plan, or by whether one fits; here it "
                                   "must be axes as data=2,tensor=2,pipeline=2");
  nlohmann::json over = overOf(request);
  if (request.parallel.empty())
    return over.empty() ? readTrainingFile(request.training) : readTrainingFile(request.training, over);
  Result<nlohmann::json> axes = parseAxes(request.parallel);
  if (!axes)
    return axes.status();
  over["parallel"].update(*axes);
  Result<TrainingOptions> changed = readTrainingFile(request.training, over);
  return changed ? changed : changed.status().in("--parallel " + request.parallel);
}

nlohmann::json trainingDocument(const CompileRequest &request) {
  const Result<std::string> text = readFile(request.training);
  nlohmann::json document =
      text ? nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false) : nlohmann::json();
  if (!document.is_object())
    return nullptr;
  document.merge_patch(overOf(request));
  return document;
}

CompileRequest withTraining(CompileRequest request, const nlohmann::json &over) {
  nlohmann::json all = overOf(request);
  all.merge_patch(over); // a merge patch removes keys with null, and would lose them here
  for (const auto &[key, value] : over.items())
    if (value.is_null())
      all[key] = nullptr;
  request.whatIf.training = all.dump();
  return request;
}

} // namespace windlass
