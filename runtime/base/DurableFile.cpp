// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/DurableFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace windlass {
namespace {

/// Calls a system call again while signals interrupt it.
template <typename Call> auto retried(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

} // namespace

Status systemFailure(const std::string &path, const std::string &what) {
  return Status::runFailed(path + ": " + what + ": " + std::strerror(errno));
}

File &File::operator=(File &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  std::swap(name, other.name);
  return *this;
}

File::~File() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Result<File> File::open(const std::string &path, int flags, const char *what) {
  const int descriptor = retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0644); });
  if (descriptor < 0)
    return systemFailure(path, what);
  return File(descriptor, path);
}

Result<File> File::openForReading(const std::string &path) {
  return open(path, O_RDONLY | O_NONBLOCK, "cannot open"); // a pipe must not be waited for
}

Result<File> File::create(const std::string &path) {
  ::unlink(path.c_str()); // if it cannot go, opening says so
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "cannot create");
}

Result<File> File::openForWriting(const std::string &path) {
  return open(path, O_WRONLY | O_NOFOLLOW, "cannot write");
}

Result<File> File::openForAppending(const std::string &path, bool followLinks) {
  Result<File> file =
      open(path, O_RDWR | O_CREAT | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW), "cannot write");
  if (file && ::lseek(file->descriptor, 0, SEEK_CUR) < 0)
    return systemFailure(path, "cannot write at an offset");
  return file;
}

Result<File> File::lockFolder(const std::string &path) {
  Result<File> folder = open(path, O_RDONLY | O_DIRECTORY, "cannot open the folder");
  if (!folder)
    return folder;
  struct stat held = {}, named = {};
  // The former holder may have removed the folder: a lock on a folder without a name keeps nobody out.
  if (retried([&] { return ::flock(folder->descriptor, LOCK_EX | LOCK_NB); }) < 0 ||
      ::fstat(folder->descriptor, &held) < 0 || ::stat(path.c_str(), &named) < 0 ||
      held.st_ino != named.st_ino || held.st_dev != named.st_dev)
    return Status::badInput(path + ": another run is writing to this folder");
  return folder;
}

Status File::readAt(int64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    ssize_t got = retried([&] { return ::pread(descriptor, out.data(), out.size(), offset); });
    if (got < 0)
      return systemFailure(name, "cannot read");
    if (got == 0)
      return Status::runFailed(name + ": ends at byte " + std::to_string(offset) + ", " +
                               std::to_string(out.size()) + " bytes short");
    offset += got;
    out = out.subspan(static_cast<size_t>(got));
  }
  return Status::ok();
}

Status File::writeAt(int64_t offset, std::span<const std::byte> in) {
  while (!in.empty()) {
    ssize_t put = retried([&] { return ::pwrite(descriptor, in.data(), in.size(), offset); });
    if (put < 0)
      return systemFailure(name, "cannot write");
    offset += put;
    in = in.subspan(static_cast<size_t>(put));
  }
  return Status::ok();
}

Status File::truncate(int64_t bytes) {
  struct stat facts = {};
  if (::fstat(descriptor, &facts) < 0 ||
      (S_ISREG(facts.st_mode) && retried([&] { return ::ftruncate(descriptor, bytes); }) < 0))
    return systemFailure(name, "cannot write");
  return Status::ok();
}

Status File::reserve(int64_t bytes) {
  if (bytes == 0)
    return Status::ok();
  int failure = 0;
  do {
    failure = ::posix_fallocate(descriptor, 0, bytes);
  } while (failure == EINTR);
  errno = failure;
  // A file system that cannot reserve reports a full disk at the write instead.
  if (failure != 0 && failure != EOPNOTSUPP && failure != EINVAL)
    return systemFailure(name, "cannot reserve " + std::to_string(bytes) + " bytes");
  return Status::ok();
}

Status File::sync() {
  if (retried([&] { return ::fsync(descriptor); }) < 0)
    return systemFailure(name, "cannot sync");
  return Status::ok();
}

Result<int64_t> File::size() const {
  struct stat facts = {};
  if (::fstat(descriptor, &facts) < 0)
    return systemFailure(name, "cannot stat");
  return static_cast<int64_t>(facts.st_size);
}

Status syncFolder(const std::string &path) {
  Result<File> folder = File::openForReading(path);
  if (!folder)
    return folder.status();
  return folder->sync();
}

Status makeFolders(const std::string &path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure)
    return Status::runFailed(path + ": cannot create the folder: " + failure.message());
  return Status::ok();
}

std::string unusedNameBeside(const std::string &path) {
  for (int number = 1;; ++number) {
    const std::string name = path + "." + std::to_string(number);
    std::error_code unreachable;
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, unreachable)))
      return name;
  }
}

} // namespace windlass
