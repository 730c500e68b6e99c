// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/object/ObjectFolder.h"

#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Process.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <unistd.h>

namespace windlass::codegen {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 30;
/// The pruning of LLVM removes files of this prefix alone.
constexpr const char *kPrefix = "llvmcache-";
/// A file begins with the hash of the object file behind it.
constexpr size_t kHashDigits = 32;

/// Appends the build ID in a segment of notes, if it has one.
void appendBuildId(const char *notes, size_t size, std::string &ids) {
  const auto padded = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = sizeof note, value = name + padded(note.n_namesz),
                 end = value + padded(note.n_descsz);
    if (end > size)
      return;
    if (note.n_type == NT_GNU_BUILD_ID &&
        std::string_view(notes + name, note.n_namesz) == std::string_view("GNU", 4))
      ids.append(notes + value, note.n_descsz);
    notes += end;
    size -= end;
  }
}

/// The build IDs of the program and of the libraries that it had loaded when it first asked; empty for a
/// program without one, whose builds cannot be told apart.
const std::string &buildIds() {
  static const std::string ids = [] {
    std::string all;
    dl_iterate_phdr(
        [](dl_phdr_info *loaded, size_t, void *into) {
          for (int i = 0; i < loaded->dlpi_phnum; ++i)
            if (const ElfW(Phdr) &part = loaded->dlpi_phdr[i]; part.p_type == PT_NOTE)
              appendBuildId(reinterpret_cast<const char *>(loaded->dlpi_addr + part.p_vaddr), part.p_memsz,
                            *static_cast<std::string *>(into));
          return static_cast<std::string *>(into)->empty() ? 1 : 0; // the program comes first
        },
        &all);
    return all;
  }();
  return ids;
}

} // namespace

Result<ObjectFolder> ObjectFolder::open(const std::string &path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed)
    return Status::badInput(path + ": the folder cannot be made: " + failed.message());
  if (access(path.c_str(), W_OK | X_OK) != 0)
    return Status::badInput(path + ": the folder cannot be written: " + std::strerror(errno));
  llvm::CachePruningPolicy policy;
  policy.MaxSizePercentageOfAvailableSpace = 0; // not a share of the disk
  policy.MaxSizeBytes = kMostBytes;
  llvm::pruneCache(path, policy);
  return ObjectFolder(path);
}

std::string ObjectFolder::fileOf(const std::string &key) const {
  return path + "/" + kPrefix + hashOfBytes(buildIds() + key);
}

std::string ObjectFolder::find(const std::string &key) const {
  if (buildIds().empty())
    return "";
  const Result<std::string> file = readFile(fileOf(key));
  if (!file || file->size() < kHashDigits)
    return "";
  std::string object = file->substr(kHashDigits);
  return hashOfBytes(object) == file->substr(0, kHashDigits) ? object : "";
}

/// A file appears at once, with all its bytes. The disk is not waited for: a file that a failure cuts is not
/// found, for its hash.
void ObjectFolder::keep(const std::string &key, const std::string &object) const {
  if (buildIds().empty())
    return;
  const std::string file = fileOf(key), draft = file + "." +
                                                std::to_string(llvm::sys::Process::getProcessId()) + "." +
                                                std::to_string(reinterpret_cast<uintptr_t>(&object));
  std::ofstream out(draft, std::ios::binary);
  out << hashOfBytes(object) << object;
  out.close();
  if (!out || std::rename(draft.c_str(), file.c_str()) != 0)
    std::remove(draft.c_str());
}

} // namespace windlass::codegen
