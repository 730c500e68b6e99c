// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ObjectCode.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace windlass::codegen {

std::string linkSharedObject(const std::string &objectPath, const std::string &path) {
  static std::mutex oneAtATime; // the linker has global state
  std::lock_guard lock(oneAtATime);
  const char *arguments[] = {"ld.lld",      "-shared",          "-z",         "defs",        "--nostdlib",
                             "--strip-all", "--build-id=none",  "-z",         "noexecstack", "-o",
                             path.c_str(),  objectPath.c_str(), "--threads=1"};
  std::string output, errors;
  llvm::raw_string_ostream outputStream(output), errorStream(errors);
  lld::Result result = lld::lldMain(arguments, outputStream, errorStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return {};
  return errors.empty() ? "the linker failed" : errors;
}

} // namespace windlass::codegen
