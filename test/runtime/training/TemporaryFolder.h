// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TemporaryFolder.h - a folder that is removed after use ================//
//
// Duty: a temporary folder that is removed with its object, and files in it. Errors: none; a folder or file
// that cannot be written is missing where the test reads it. Threads: one per folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace windlass {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "windlass-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
    return *this / name;
  }
  std::string path;
};

inline std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace windlass
