// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/CheckpointFolder.h"

#include "runtime/base/DurableFile.h"
#include "runtime/base/File.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace windlass {
namespace {

namespace fs = std::filesystem;

const std::string kUnfinished = ".unfinished-", kReplaced = ".replaced-", kRetired = ".retired-",
                  kStep = "step-";

std::string stepName(int64_t step) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%08lld", static_cast<long long>(step));
  return kStep + digits;
}

/// The step of "step-00000600", or -1.
int64_t stepOf(const std::string &name) {
  const std::string digits = name.starts_with(kStep) ? name.substr(kStep.size()) : "";
  if (digits.size() < 8 || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  return std::stoll(digits);
}

std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator entries(folder, failure);
  for (; !failure && entries != fs::directory_iterator(); entries.increment(failure))
    names.push_back(entries->path().filename().string());
  return names;
}

bool exists(const std::string &path) {
  std::error_code unreachable;
  return fs::exists(path, unreachable);
}

Status renamed(const std::string &from, const std::string &to) {
  if (std::rename(from.c_str(), to.c_str()) < 0)
    return systemFailure(from, "cannot rename to " + to);
  return Status::ok();
}

} // namespace

std::string CheckpointFolder::pathOf(int64_t step) const { return root + "/" + stepName(step); }

std::string CheckpointFolder::unfinishedPathOf(int64_t step) const {
  return root + "/" + kUnfinished + stepName(step);
}

Status CheckpointFolder::check(bool isWritten) const {
  std::error_code failure;
  const fs::file_type type = fs::symlink_status(root, failure).type();
  if (type == fs::file_type::not_found)
    return Status::ok();
  if (type == fs::file_type::none)
    return Status::badInput(root + ": cannot be read: " + failure.message());
  if (!exists(root))
    return Status::badInput(root + ": is a link that leads nowhere");
  if (const fs::directory_iterator entries(root, failure); failure)
    return Status::badInput(root + ": cannot be read: " + failure.message());
  if (isWritten && ::access(root.c_str(), W_OK | X_OK) != 0)
    return Status::badInput(root + ": cannot be written: " + std::strerror(errno));
  return Status::ok();
}

std::vector<int64_t> CheckpointFolder::steps() const {
  std::vector<int64_t> found;
  for (const std::string &name : namesIn(root))
    if (stepOf(name) >= 0)
      found.push_back(stepOf(name));
  std::sort(found.begin(), found.end());
  return found;
}

bool CheckpointFolder::holds(const std::string &checkpoint) const {
  return std::ranges::any_of(steps(), [&](int64_t step) {
    std::error_code unreachable;
    return fs::equivalent(pathOf(step), checkpoint, unreachable);
  });
}

Status CheckpointFolder::removeHidden(const std::string &prefix) const {
  for (const std::string &name : namesIn(root)) {
    std::error_code failure;
    if (name.starts_with(prefix))
      fs::remove_all(root + "/" + name, failure);
    if (failure)
      return Status::runFailed(root + "/" + name + ": cannot remove: " + failure.message());
  }
  return Status::ok();
}

Status CheckpointFolder::retire(int64_t step) const {
  WINDLASS_TRY(renamed(pathOf(step), root + "/" + kRetired + stepName(step)));
  return removeHidden(kRetired);
}

/// What stands under a hidden name while another takes its place is whole: it returns if the other never
/// came.
Status CheckpointFolder::restoreReplaced() const {
  for (const std::string &name : namesIn(root))
    if (const int64_t step = name.starts_with(kReplaced) ? stepOf(name.substr(kReplaced.size())) : -1;
        step >= 0 && !exists(pathOf(step)))
      WINDLASS_TRY(renamed(root + "/" + name, pathOf(step)));
  return removeHidden(kReplaced);
}

Status CheckpointFolder::mend() const {
  WINDLASS_TRY(restoreReplaced());
  WINDLASS_TRY(removeHidden(kUnfinished));
  WINDLASS_TRY(removeHidden(kRetired));
  const std::vector<int64_t> complete = steps();
  if (complete.empty())
    return Status::ok();
  const Result<std::string> latest = readFile(root + "/latest");
  return latest && *latest == stepName(complete.back()) + "\n" ? Status::ok() : nameLatest(complete.back());
}

/// Through a hidden name, so that what a kill leaves is removed with the rest.
Status CheckpointFolder::nameLatest(int64_t step) const {
  const std::string unfinished = root + "/" + kUnfinished + "latest", text = stepName(step) + "\n";
  Result<File> file = File::create(unfinished);
  if (!file)
    return file.status();
  WINDLASS_TRY(file->writeAt(0, std::as_bytes(std::span(text))));
  WINDLASS_TRY(file->sync());
  WINDLASS_TRY(renamed(unfinished, root + "/latest"));
  return syncFolder(root);
}

Status CheckpointFolder::commit(int64_t step, int64_t keep,
                                const std::function<Status(const std::string &)> &write) {
  const std::string unfinished = unfinishedPathOf(step);
  WINDLASS_TRY(makeFolders(root));
  WINDLASS_TRY(mend());
  WINDLASS_TRY(makeFolders(unfinished));
  Status written = write(unfinished);
  if (written.isOk())
    written = syncFolder(unfinished);
  if (!written.isOk()) {
    (void)removeHidden(kUnfinished); // the failure that matters is the first
    return written;
  }
  if (exists(pathOf(step)))
    WINDLASS_TRY(renamed(pathOf(step), root + "/" + kReplaced + stepName(step)));
  WINDLASS_TRY(renamed(unfinished, pathOf(step)));
  WINDLASS_TRY(removeHidden(kReplaced));
  WINDLASS_TRY(syncFolder(root));
  WINDLASS_TRY(nameLatest(step));
  std::vector<int64_t> complete = steps();
  std::erase_if(complete, [&](int64_t other) { return other > step; }); // of a run that is not this one
  for (size_t i = 0; keep > 0 && i + static_cast<size_t>(keep) < complete.size(); ++i)
    WINDLASS_TRY(retire(complete[i]));
  return Status::ok();
}

Result<std::string> CheckpointFolder::setAside(int64_t after) {
  std::vector<int64_t> kept = steps();
  const auto first = std::upper_bound(kept.begin(), kept.end(), after);
  const std::vector<int64_t> moved(first, kept.end());
  kept.erase(first, kept.end());
  if (moved.empty())
    return std::string();
  const CheckpointFolder place(unusedNameBeside(root));
  if (kept.empty()) {
    WINDLASS_TRY(renamed(root, place.root));
    return place.root;
  }
  WINDLASS_TRY(makeFolders(place.root));
  WINDLASS_TRY(nameLatest(kept.back()));
  for (int64_t step : moved)
    WINDLASS_TRY(renamed(pathOf(step), place.pathOf(step)));
  WINDLASS_TRY(place.nameLatest(moved.back()));
  WINDLASS_TRY(syncFolder(root));
  return place.root;
}

} // namespace windlass
