// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/DataFiles.h"

#include <algorithm>
#include <filesystem>
#include <glob.h>
#include <set>

namespace windlass {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> matching(const std::string &pattern) {
  glob_t found = {};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (paths.empty())
    return Status::badInput(pattern + ": no such file or folder, and as a pattern it matches nothing");
  return paths;
}

Result<std::vector<std::string>> inFolder(const std::string &path) {
  std::vector<std::string> paths;
  std::error_code failure;
  fs::directory_iterator entries(path, failure);
  if (failure)
    return Status::badInput(path + ": cannot list the folder: " + failure.message());
  for (; entries != fs::directory_iterator() && !failure; entries.increment(failure)) {
    std::error_code unreadable;
    if (entries->is_regular_file(unreadable))
      paths.push_back(entries->path().string());
  }
  if (paths.empty())
    return Status::badInput(path + ": the folder holds no files");
  return paths;
}

} // namespace

Result<std::vector<std::string>> dataFiles(const std::string &specification) {
  std::error_code failure;
  if (fs::exists(specification, failure) && !fs::is_directory(specification, failure)) {
    if (!fs::is_regular_file(specification, failure))
      return Status::badInput(specification + ": not a regular file");
    return std::vector<std::string>{specification};
  }
  const bool isPattern =
      !fs::exists(specification, failure) && specification.find_first_of("*?[") != std::string::npos;
  if (!isPattern && !fs::exists(specification, failure))
    return Status::badInput(specification +
                            ": no such file or folder (--data takes files of text or tokens, a folder or a "
                            "pattern of them, a .safetensors file, or \"synthetic\")");
  Result<std::vector<std::string>> paths = isPattern ? matching(specification) : inFolder(specification);
  if (!paths)
    return paths.status();
  std::ranges::sort(*paths);
  std::set<fs::path> seen;
  std::vector<std::string> files; // by the names given: links may lead to names that say nothing
  for (const std::string &path : *paths) {
    std::error_code unreadable;
    const fs::path file = fs::canonical(path, unreadable);
    if (!unreadable && fs::is_regular_file(file, unreadable) && seen.insert(file).second)
      files.push_back(path);
  }
  if (files.empty())
    return Status::badInput(specification + ": names no regular file");
  return files;
}

} // namespace windlass
