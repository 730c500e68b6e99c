// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/ParallelFlag.h"

#include "compiler/driver/inputs/Mesh.h"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

/// Keys of "parallel" in the training file.
constexpr std::string_view kAxes[] = {"data", "tensor", "pipeline"};

/// "data=2,tensor=2" as the training file would say it.
Result<nlohmann::json> parseAxes(std::string_view text) {
  const auto refuse = [](const std::string &what) {
    return Status(ExitCode::Usage,
                  "--parallel: must be axes as data=2,tensor=2,pipeline=2, each at most once, " + what);
  };
  nlohmann::json axes = nlohmann::json::object();
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma), name = entry.substr(0, entry.find('='));
    int64_t ranks = 0;
    const char *end = entry.data() + entry.size();
    const char *number = entry.data() + std::min(name.size() + 1, entry.size());
    const auto [stop, error] = std::from_chars(number, end, ranks);
    if (std::ranges::count(kAxes, name) == 0 || error != std::errc() || stop != end)
      return refuse("found \"" + std::string(entry) + "\"");
    if (axes.contains(name))
      return refuse("found " + std::string(name) + " twice");
    axes[std::string(name)] = ranks;
    if (comma == std::string_view::npos)
      return axes;
    text.remove_prefix(comma + 1);
  }
}

} // namespace

Result<TrainingOptions> readTraining(const CompileRequest &request) {
  Result<TrainingOptions> training = readTrainingFile(request.training);
  if (!training || request.parallel.empty())
    return training;
  if (request.parallel == kOpenMesh)
    return Status(ExitCode::Usage, "--parallel: auto is answered by a plan, or by whether one fits; here it "
                                   "must be axes as data=2,tensor=2,pipeline=2");
  Result<nlohmann::json> axes = parseAxes(request.parallel);
  if (!axes)
    return axes.status();
  nlohmann::json over;
  over["parallel"] = axes.take();
  if (request.whatIf.microBatches > 0) {
    over["micro_batches"] = request.whatIf.microBatches;
    over["global_batch"] = nullptr;
  }
  Result<TrainingOptions> changed = readTrainingFile(request.training, over);
  return changed ? changed : changed.status().in("--parallel " + request.parallel);
}

} // namespace windlass
