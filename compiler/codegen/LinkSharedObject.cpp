// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ObjectCode.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <string>
#include <system_error>
#include <vector>

LLD_HAS_DRIVER(elf)

namespace windlass::codegen {

namespace {

/// Files with these bytes, as long as the object lives.
class ObjectFiles {
public:
  ~ObjectFiles() {
    for (const std::string &path : paths)
      llvm::sys::fs::remove(path);
  }

  /// An error, empty on success.
  std::string write(const std::vector<std::string> &objects, const std::string &beside) {
    for (const std::string &object : objects) {
      std::error_code failed;
      paths.push_back(beside + "." + std::to_string(paths.size()) + ".o");
      llvm::raw_fd_ostream file(paths.back(), failed, llvm::sys::fs::OF_None);
      file << object;
      file.close();
      if (!failed)
        failed = file.error();
      file.clear_error(); // or the stream ends the process
      if (failed)
        return "cannot write '" + paths.back() + "': " + failed.message();
    }
    return {};
  }

  std::vector<std::string> paths;
};

} // namespace

std::string linkSharedObject(const std::vector<std::string> &objects, const std::string &path) {
  static std::mutex oneAtATime; // the linker has global state
  ObjectFiles files;
  if (std::string problem = files.write(objects, path); !problem.empty())
    return problem;
  std::vector<const char *> arguments = {"ld.lld",      "-shared",         "-z", "defs",        "--nostdlib",
                                         "--strip-all", "--build-id=none", "-z", "noexecstack", "--threads=1",
                                         "-o",          path.c_str()};
  for (const std::string &file : files.paths)
    arguments.push_back(file.c_str());
  std::lock_guard lock(oneAtATime);
  std::string output, errors;
  llvm::raw_string_ostream outputStream(output), errorStream(errors);
  lld::Result result = lld::lldMain(arguments, outputStream, errorStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return {};
  return errors.empty() ? "the linker failed" : errors;
}

} // namespace windlass::codegen
