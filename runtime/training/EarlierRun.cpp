// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/EarlierRun.h"

#include "runtime/base/DurableFile.h"
#include "runtime/training/report/MetricsFile.h"
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

namespace fs = std::filesystem;

/// The metrics of the run that wrote a checkpoint, OUT/checkpoints/step-N; "" if there are none.
std::string metricsBeside(const std::string &checkpoint) {
  std::error_code unreachable;
  const fs::path folder = fs::canonical(checkpoint, unreachable).parent_path();
  if (unreachable || folder.filename() != "checkpoints")
    return "";
  const fs::path metrics = folder.parent_path() / "metrics.jsonl";
  return fs::is_regular_file(metrics, unreachable) ? metrics.string() : "";
}

/// Whether the last line is of the step that a checkpoint holds. Metrics of another run may have been left
/// beside a checkpoint whose own metrics are elsewhere.
bool reach(const std::string &lines, const TrainerState &state) {
  if (lines.empty())
    return false;
  const size_t end = lines.rfind('\n', lines.size() - 2);
  const nlohmann::json last = nlohmann::json::parse(lines.substr(end == std::string::npos ? 0 : end + 1),
                                                    nullptr, /*allow_exceptions=*/false);
  return last.is_object() && last.contains("step") && last["step"] == state.step &&
         last.contains("data_position") && last["data_position"] == state.dataPosition;
}

/// Returns where the file went, or "" if it is not there.
Result<std::string> moveAside(const std::string &path) {
  std::error_code unreachable;
  if (!fs::exists(fs::symlink_status(path, unreachable)))
    return std::string();
  const std::string place = unusedNameBeside(path);
  if (std::rename(path.c_str(), place.c_str()) < 0)
    return systemFailure(path, "cannot rename to " + place);
  return place;
}

Status writeNew(const std::string &path, const std::string &text) {
  Result<File> file = File::create(path);
  return file ? file->writeAt(0, std::as_bytes(std::span(text))) : file.status();
}

} // namespace

Result<std::vector<std::string>> setEarlierRunAside(CheckpointFolder &checkpoints, const Start &start,
                                                    const std::string &metrics) {
  const bool isFresh = start.checkpoint.empty();
  const bool isOfAnother = !isFresh && !checkpoints.holds(start.checkpoint);
  const std::string step = std::to_string(start.state.step);
  std::vector<std::string> notes;
  std::string source, lines;
  if (isOfAnother && !metrics.empty()) {
    source = metricsBeside(start.checkpoint);
    Result<std::string> read = MetricsFile::linesUpTo(source, start.state.step);
    if (!read)
      return read.status();
    if (reach(*read, start.state))
      lines = read.take();
    // Before the checkpoints: if the process is killed in between, they do not stand beside other metrics.
    Result<std::string> moved = moveAside(metrics);
    if (!moved)
      return moved.status();
    if (!moved->empty())
      notes.push_back("the metrics of an earlier run were moved to " + *moved);
  }
  Result<std::string> place = checkpoints.setAside(isFresh || isOfAnother ? -1 : start.state.step);
  if (!place)
    return place.status();
  if (!place->empty())
    notes.push_back((isFresh || isOfAnother ? "the checkpoints of an earlier run were moved to "
                                            : "checkpoints of later steps were moved to ") +
                    *place);
  if (isOfAnother && !metrics.empty()) {
    WINDLASS_TRY(writeNew(metrics, lines));
    notes.push_back(lines.empty() ? "the metrics begin after step " + step +
                                        ": those up to it are not beside " + start.checkpoint
                                  : "the metrics up to step " + step + " are those of " + source);
  }
  return notes;
}

} // namespace windlass
