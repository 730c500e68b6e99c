// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ToolRun.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/wait.h>

namespace windlass::test {
namespace {

std::string taken(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(path);
  return text;
}

} // namespace

ToolRun runTool(const std::string &folder, const std::string &command) {
  const std::string out = folder + ".stdout", error = folder + ".stderr", script = folder + ".sh";
  std::ofstream(script) << "cd " << folder << " && { " << command << "; }\n";
  const int status =
      std::system(("timeout -k 5 300 sh " + script + " >" + out + " 2>" + error + " </dev/null").c_str());
  std::filesystem::remove(script);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), taken(out), taken(error)};
}

std::string namesIn(const std::string &folder) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename());
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

} // namespace windlass::test
