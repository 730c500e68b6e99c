// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxAssembler.h"

#include "test/support/ToolRun.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <unistd.h>

namespace windlass::ptx {
namespace {

constexpr int kOldest = 12;

/// A folder of this process, which is removed with its object.
struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("windlass-ptxas-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

int numberIn(const std::string &text, const std::string &pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? std::stoi(match[1]) : 0;
}

} // namespace

Result<PtxAssembler> PtxAssembler::find() {
  const Folder folder;
  PtxAssembler found;
  for (const char *path : {"ptxas", "/usr/local/cuda/bin/ptxas"}) {
    const test::ToolRun run = test::runTool(folder.path, std::string(path) + " --version");
    if (run.code != 0 || numberIn(run.out, "release (\\d+)\\.") < kOldest)
      continue;
    found.path = path;
    found.options = test::runTool(folder.path, found.path + " --help").out;
    return found;
  }
  return Status::cannotFit("no ptxas of CUDA " + std::to_string(kOldest) + ".0 or later is installed");
}

bool PtxAssembler::knows(const std::string &device) const {
  return options.find("'" + device + "'") != std::string::npos;
}

Result<std::vector<Assembled>> PtxAssembler::assemble(const std::string &text,
                                                      const std::string &device) const {
  const Folder folder;
  std::ofstream(folder.path / "k.ptx") << text;
  const test::ToolRun run = test::runTool(folder.path, path + " -v -arch=" + device + " k.ptx -o k.cubin");
  if (run.code != 0)
    return Status::runFailed(run.error + run.out);
  std::vector<Assembled> kernels;
  const std::string said = run.out + run.error;
  const std::regex beginning("Compiling entry function '([^']+)'");
  for (std::sregex_iterator match(said.begin(), said.end(), beginning), end; match != end; ++match) {
    const size_t from = static_cast<size_t>(match->position());
    const std::string own = said.substr(from, said.find("Compiling entry function", from + 1) - from);
    kernels.push_back({(*match)[1], numberIn(own, "Used (\\d+) registers"),
                       numberIn(own, "(\\d+) bytes stack frame"),
                       numberIn(own, "(\\d+) bytes spill stores") + numberIn(own, "(\\d+) bytes spill loads"),
                       numberIn(own, "(\\d+) bytes smem")});
  }
  return kernels;
}

Result<std::string> PtxAssembler::disassemble(const std::string &text, const std::string &device) const {
  const Folder folder;
  const std::string disassembler = path.substr(0, path.rfind('/') + 1) + "nvdisasm";
  if (test::runTool(folder.path, disassembler + " --version").code != 0)
    return Status::cannotFit("no nvdisasm is installed beside ptxas");
  std::ofstream(folder.path / "k.ptx") << text;
  const test::ToolRun run = test::runTool(folder.path, path + " -arch=" + device + " k.ptx -o k.cubin && " +
                                                           disassembler + " -c k.cubin");
  if (run.code != 0)
    return Status::runFailed(run.error + run.out);
  return run.out;
}

} // namespace windlass::ptx
