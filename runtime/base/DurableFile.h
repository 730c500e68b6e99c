// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DurableFile.h - files read and written by range =======================//
//
// Duty: reading and writing at offsets, every call checked, and what it takes
// to survive a kill: reserved space, synced files, synced folders.
// Whole small files: runtime/base/File.h.
// Errors: RunFailed, naming the path and the system's reason.
// Threads: one owner per object; readAt may be called by many.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace windlass {

/// A file descriptor that closes itself.
class File {
public:
  File() = default;
  File(File &&other) noexcept : descriptor(other.descriptor), name(std::move(other.name)) {
    other.descriptor = -1;
  }
  File &operator=(File &&other) noexcept;
  ~File();

  static Result<File> openForReading(const std::string &path);
  /// Creates a file, in place of a file with the same name. If the name is a link, the link is replaced and
  /// its target stays.
  static Result<File> create(const std::string &path);
  /// Opens an existing file and keeps its bytes. The file cannot be read: if other machines write to it, a
  /// page that this machine had read before would overwrite their bytes.
  static Result<File> openForWriting(const std::string &path);
  /// Keeps the bytes of an existing file. Refuses files without offsets, such as pipes, and without
  /// `followLinks` links.
  static Result<File> openForAppending(const std::string &path, bool followLinks = true);
  /// A folder that no other process holds at the same time; free again when the object goes.
  static Result<File> lockFolder(const std::string &path);

  bool isOpen() const { return descriptor >= 0; }
  Status readAt(int64_t offset, std::span<std::byte> out) const;
  Status writeAt(int64_t offset, std::span<const std::byte> in);
  /// Cuts a regular file to its first `bytes`; anything else stays as it is.
  Status truncate(int64_t bytes);
  /// Reserves the space, so that a full disk is found before any byte is written.
  Status reserve(int64_t bytes);
  Status sync();
  Result<int64_t> size() const;
  const std::string &path() const { return name; }

private:
  static Result<File> open(const std::string &path, int flags, const char *what);
  File(int descriptor, std::string path) : descriptor(descriptor), name(std::move(path)) {}
  int descriptor = -1;
  std::string name;
};

/// Makes renames and new names in a folder durable.
Status syncFolder(const std::string &path);
Status makeFolders(const std::string &path);
/// PATH.1, or the first of PATH.2, PATH.3, ... that is not there: a name for what is set aside.
std::string unusedNameBeside(const std::string &path);

/// "PATH: what: No space left on device", from errno, as RunFailed.
Status systemFailure(const std::string &path, const std::string &what);

} // namespace windlass
