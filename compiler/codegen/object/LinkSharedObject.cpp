// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/object/ObjectCode.h"

#include "lld/Common/Driver.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <string>
#include <system_error>
#include <vector>

LLD_HAS_DRIVER(elf)

namespace windlass::codegen {

namespace {

/// An archive of object files, removed with this object. One archive is linked faster than hundreds of small
/// files: creating and removing those took most of the time.
class ArchiveFile {
public:
  explicit ArchiveFile(std::string path) : path(std::move(path)) {}
  ~ArchiveFile() { llvm::sys::fs::remove(path); }

  /// An error, empty on success.
  std::string write(const std::vector<std::string> &objects) const {
    std::vector<llvm::NewArchiveMember> members;
    for (const std::string &object : objects)
      members.emplace_back(llvm::MemoryBufferRef(object, "kernel.o"));
    std::error_code failed;
    llvm::raw_fd_ostream file(path, failed, llvm::sys::fs::OF_None);
    if (!failed) {
      failed = llvm::errorToErrorCode(
          llvm::writeArchiveToStream(file, members, llvm::SymtabWritingMode::NoSymtab,
                                     llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false));
      file.close();
    }
    if (!failed)
      failed = file.error();
    file.clear_error(); // or the stream ends the process
    return failed ? "cannot write '" + path + "': " + failed.message() : std::string();
  }

  const std::string path;
};

} // namespace

std::string linkSharedObject(const std::vector<std::string> &objects, const std::string &path) {
  static std::mutex oneAtATime; // the linker has global state
  const ArchiveFile archive(path + ".a");
  if (std::string problem = archive.write(objects); !problem.empty())
    return problem;
  const std::vector<const char *> arguments = {
      "ld.lld", "-shared",     "-z",          "defs", "--nostdlib", "--strip-all",     "--build-id=none",
      "-z",     "noexecstack", "--threads=1", "-o",   path.c_str(), "--whole-archive", archive.path.c_str()};
  std::lock_guard lock(oneAtATime);
  std::string output, errors;
  llvm::raw_string_ostream outputStream(output), errorStream(errors);
  lld::Result result = lld::lldMain(arguments, outputStream, errorStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return {};
  return errors.empty() ? "the linker failed" : errors;
}

} // namespace windlass::codegen
