#include "runtime/base/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
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

/// Makes a rename in `path`'s folder survive a power cut; where a file system
/// cannot, the rename itself still stands.
void syncFolderOf(const std::string &path) {
  size_t slash = path.find_last_of('/');
  Descriptor folder(::open(slash == std::string::npos ? "." : path.substr(0, slash + 1).c_str(), O_RDONLY));
  if (folder.isOpen())
    ::fsync(folder.get());
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

Status writeFileAtomically(const std::string &path, std::string_view bytes) {
  const std::string beside = path + ".new-" + std::to_string(::getpid());
  Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
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

} // namespace windlass
