// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/File.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace windlass {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  int get() const { return number; }
  bool isOpen() const { return number >= 0; }

private:
  int number;
};

Status systemFailure(const std::string &path, const char *what) {
  return Status::badInput(path + ": cannot " + what + ": " + std::strerror(errno));
}

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::string folderOf(const std::string &path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// The path a rename may replace: the file itself where `path` is a link to it; empty for what must stay
/// as it is, a device or a pipe.
Result<std::string> renameable(const std::string &path) {
  struct stat facts;
  if (::stat(path.c_str(), &facts) != 0)
    return path;
  if (S_ISDIR(facts.st_mode))
    return Status::badInput(path + ": cannot write: " + std::strerror(EISDIR));
  if (!S_ISREG(facts.st_mode))
    return std::string();
  const std::unique_ptr<char, void (*)(void *)> target(::realpath(path.c_str(), nullptr), std::free);
  return target ? std::string(target.get()) : path;
}

/// Without O_NONBLOCK a pipe that nobody reads would be waited for.
Status writeThrough(const std::string &path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen() || ::fcntl(file.get(), F_SETFL, 0) != 0 || !writeAll(file.get(), bytes))
    return systemFailure(path, "write");
  return Status::ok();
}

/// Makes a rename in `path`'s folder survive a power cut; where a file system
/// cannot, the rename itself still stands.
void syncFolderOf(const std::string &path) {
  Descriptor folder(::open(folderOf(path).c_str(), O_RDONLY));
  if (folder.isOpen())
    ::fsync(folder.get());
}

Status replaceFile(const std::string &path, std::string_view bytes) {
  const std::string beside = path + ".new-" + std::to_string(::getpid());
  ::unlink(beside.c_str()); // whoever put a link there would have its target overwritten
  Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.isOpen())
    return systemFailure(beside, "create");
  if (!writeAll(file.get(), bytes) || ::fsync(file.get()) != 0 ||
      ::rename(beside.c_str(), path.c_str()) != 0) {
    Status failure = systemFailure(path, "write");
    ::unlink(beside.c_str());
    return failure;
  }
  syncFolderOf(path);
  return Status::ok();
}

} // namespace

Result<std::string> readFile(const std::string &path) {
  // Without O_NONBLOCK a pipe would be waited for here; it means nothing to a regular file.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen())
    return systemFailure(path, "open");
  struct stat facts;
  if (::fstat(file.get(), &facts) != 0)
    return systemFailure(path, "read");
  if (!S_ISREG(facts.st_mode))
    return Status::badInput(path + ": not a regular file");
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemFailure(path, "read");
    if (got == 0)
      break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

Status writeFileAtomically(const std::string &given, std::string_view bytes) {
  Result<std::string> path = renameable(given);
  if (!path)
    return path.status();
  if (path->empty())
    return writeThrough(given, bytes);
  return replaceFile(*path, bytes);
}

Result<std::string> replaceableFile(const std::string &given) {
  Result<std::string> path = renameable(given);
  if (path && path->empty())
    return Status::badInput(given +
                            ": not a regular file: this output is written beside it, and takes its place");
  return path;
}

Status checkWritable(const std::string &given) {
  Result<std::string> path = renameable(given);
  if (!path)
    return path.status();
  if (::access(path->empty() ? given.c_str() : folderOf(*path).c_str(), path->empty() ? W_OK : W_OK | X_OK) !=
      0)
    return systemFailure(given, "write");
  return Status::ok();
}

} // namespace windlass
