// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanFolder.h"

#include "runtime/base/File.h"
#include <filesystem>
#include <fstream>
#include <ranges>
#include <unistd.h>

namespace fs = std::filesystem;

namespace windlass {
namespace {

Status refused(const std::string &folder, const char *what, const std::error_code &error) {
  return Status::badInput(folder + ": cannot be " + what + ": " + error.message());
}

/// Whether the folder has a plan.json that no version of Windlass wrote. Every plan begins with its version.
bool holdsAnothersFile(const std::string &folder) {
  const fs::path path = fs::path(folder) / "plan.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return false;
  if (!fs::is_regular_file(path, ignored)) // reading a pipe would wait
    return true;
  std::ifstream file(path);
  char brace = 0, quote = 0;
  std::string key;
  const bool isRead = file >> brace >> quote && std::getline(file, key, '"');
  return !isRead || brace != '{' || quote != '"' || key != "version";
}

/// "x.plan" of "x.plan/" too.
std::string withoutSlash(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/')
    folder.pop_back();
  return folder;
}

} // namespace

Result<ParentFolders> ParentFolders::of(const std::string &path) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path above = fs::path(withoutSlash(path)).parent_path();
       !above.empty() && !fs::exists(above, error); above = above.parent_path())
    missing.push_back(above);
  ParentFolders parents;
  for (const fs::path &folder : missing | std::views::reverse) {
    if (fs::create_directory(folder, error))
      parents.made.push_back(folder);
    if (error)
      return refused(path, "made", error);
  }
  return parents;
}

ParentFolders::~ParentFolders() {
  std::error_code ignored;
  for (const std::string &folder : made | std::views::reverse)
    fs::remove(folder, ignored); // fails if the folder is not empty
}

Result<PlanFolder> PlanFolder::draft(const std::string &given) {
  const std::string output = withoutSlash(given);
  std::error_code error;
  if (fs::exists(output, error) && !fs::is_directory(output, error))
    return Status::badInput(output + ": is there and is no folder");
  if (holdsAnothersFile(output))
    return Status::badInput(output + "/plan.json: is no plan of Windlass, and a plan would replace it; name "
                                     "another folder");
  // If the folder exists, the draft is inside of it, since the parent may be another user's.
  const std::string beside =
      (fs::is_directory(output, error) ? output + "/" : output) + ".new-" + std::to_string(::getpid());
  Result<ParentFolders> parents = ParentFolders::of(output);
  if (!parents)
    return parents.status();
  fs::remove_all(beside, error); // a link at this path would put the plan elsewhere
  if (!error && !fs::create_directory(beside, error) && !error)
    error = std::make_error_code(std::errc::file_exists);
  if (error)
    return refused(output, "made", error);
  return PlanFolder(output, beside, parents.take());
}

PlanFolder::PlanFolder(PlanFolder &&other) noexcept
    : parents(std::move(other.parents)), output(std::move(other.output)),
      drafted(std::exchange(other.drafted, "")) {}

PlanFolder::~PlanFolder() {
  std::error_code ignored;
  if (!drafted.empty())
    fs::remove_all(drafted, ignored);
}

Status PlanFolder::checkRoom() const {
  constexpr size_t kernels = 4 << 20;
  const std::string probe = drafted + "/room";
  Status written = writeFileAtomically(probe, std::string(kernels, '\0'));
  std::error_code ignored;
  fs::remove(probe, ignored);
  return written;
}

Status PlanFolder::commit() {
  std::error_code error;
  if (!fs::exists(output, error)) {
    fs::rename(drafted, output, error);
    if (error)
      return refused(output, "written", error);
    drafted.clear();
    return Status::ok();
  }
  // Between two moves the hash in the plan differs from that of the kernels, so that no run takes the plan.
  for (const fs::directory_entry &file : fs::directory_iterator(drafted, error)) {
    fs::rename(file.path(), fs::path(output) / file.path().filename(), error);
    if (error)
      return refused(output, "written", error);
  }
  return Status::ok();
}

} // namespace windlass
