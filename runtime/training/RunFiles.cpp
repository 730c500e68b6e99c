// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/RunFiles.h"

#include "runtime/training/data/DataFiles.h"
#include <algorithm>
#include <filesystem>

namespace windlass {
namespace {

namespace fs = std::filesystem;

/// A file, and what it is for: an option, or a part of a run in words.
struct RunFile {
  std::string purpose, path;
};

/// Where a path leads, as far as there is something.
fs::path placeOf(const std::string &path) {
  std::error_code unknown;
  const fs::path whole = fs::absolute(path, unknown), place = fs::weakly_canonical(whole, unknown);
  return unknown ? whole.lexically_normal() : place;
}

bool areSame(const std::string &one, const std::string &other) {
  std::error_code unknown;
  return placeOf(one) == placeOf(other) || fs::equivalent(one, other, unknown);
}

bool isWithin(const std::string &path, const std::string &folder) {
  const fs::path inner = placeOf(path), outer = placeOf(folder);
  return std::mismatch(inner.begin(), inner.end(), outer.begin(), outer.end()).second == outer.end();
}

bool isSpecial(const std::string &path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  return fs::exists(status) && !fs::is_regular_file(status);
}

std::vector<RunFile> written(const RunOptions &options) {
  std::vector<RunFile> files;
  if (!options.metricsFile.empty())
    files.push_back({"--metrics", options.metricsFile});
  else if (!options.data.empty())
    files.push_back({"the metrics", options.outFolder + "/metrics.jsonl"});
  for (const auto &[option, path] : {std::pair("--trace", options.traceFile),
                                     {"--dump-gradients", options.gradientsFile},
                                     {"--export", options.exportFile}})
    if (!path.empty())
      files.push_back({option, path});
  return files;
}

/// What is read. What is wrong with the data is said where they are opened.
std::vector<RunFile> readBy(const plan::Plan &plan, const RunOptions &options) {
  std::vector<RunFile> files = {{"the plan", options.planFolder + "/plan.json"}};
  for (const plan::KernelFile &kernels : plan.kernelFiles)
    files.push_back({"the plan", options.planFolder + "/" + kernels.name});
  for (const plan::WeightFile &weights : plan.weights)
    files.push_back({"the first values of parameters",
                     options.weightsFolder.empty()
                         ? weights.path
                         : options.weightsFolder + "/" + fs::path(weights.path).filename().string()});
  if (!options.pace.empty())
    files.push_back({"--pace", options.pace});
  if (options.data.empty())
    return files;
  if (Result<std::vector<std::string>> data = dataFiles(options.data))
    for (const std::string &path : *data)
      files.push_back({"--data", path});
  return files;
}

} // namespace

Status checkRunFiles(const plan::Plan &plan, const RunOptions &options) {
  std::vector<RunFile> others = readBy(plan, options);
  for (const RunFile &file : written(options)) {
    if (isSpecial(file.path))
      continue;
    const auto refuse = [&](const std::string &what) {
      return Status(ExitCode::Usage, file.purpose + ": " + file.path + " " + what + "; name another file");
    };
    if (isWithin(file.path, options.outFolder + "/checkpoints"))
      return refuse("lies among the checkpoints of the run");
    const auto same =
        std::ranges::find_if(others, [&](const RunFile &other) { return areSame(file.path, other.path); });
    if (same != others.end())
      return refuse("is the file of " + same->purpose + ", too");
    others.push_back(file);
  }
  return Status::ok();
}

} // namespace windlass
