// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/NvmeStore.h"
#include "test/runtime/tiers/FaultyEngine.h"
#include "test/support/Folders.h"
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <linux/io_uring.h>
#include <memory>
#include <mutex>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace windlass;
using windlass::test::Faults;
using windlass::test::FaultyEngine;

namespace {

std::atomic<int> raggedWrites = 0; ///< the number of next writes that end within a sector

} // namespace

/// This function comes before that of the C library.
extern "C" ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  if (size <= 8192 || raggedWrites.fetch_sub(1) <= 0)
    return syscall(SYS_pwrite64, file, bytes, size, at);
  const ssize_t put = syscall(SYS_pwrite64, file, bytes, size / 8192 * 4096, at);
  return put < 0 ? put : put + 512;
}

namespace {

struct Case {
  const char *name;
  NvmeEngine engine;
  bool direct;
  bool registered = false;
};

/// The error of the kernel for a ring of `entries` entries; empty if the kernel grants it.
std::string ringRefusal(unsigned entries) {
  io_uring_params parameters{};
  const long ring = syscall(SYS_io_uring_setup, entries, &parameters);
  if (ring < 0)
    return std::strerror(errno);
  close(static_cast<int>(ring));
  return "";
}

/// Whether files of the build folder can be read past the page cache.
bool grantsDirectIo() {
  std::string path = WINDLASS_BINARY_DIR "/direct-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  unlink(path.c_str());
  std::unique_ptr<void, void (*)(void *)> block(std::aligned_alloc(4096, 4096), std::free);
  const bool granted = posix_fallocate(file, 0, 4096) == 0 && fcntl(file, F_SETFL, O_RDWR | O_DIRECT) == 0 &&
                       pread(file, block.get(), 4096, 0) == 4096;
  close(file);
  return granted;
}

const std::string kBuffered =
    "scratch folder '" WINDLASS_BINARY_DIR "' refuses O_DIRECT: reads and writes go through the page cache";

class Nvme : public testing::TestWithParam<Case> {
protected:
  static constexpr int64_t kFile = int64_t{24} << 20;

  /// A kernel or container without io_uring gives this error. There is no ring to test then.
  void SetUp() override {
    const std::string refusal = ringRefusal(8);
    if (GetParam().engine != NvmeEngine::IoUring || refusal.empty())
      return;
    const Status status = NvmeStore::create(config(), notices).status();
    EXPECT_EQ(status.code(), ExitCode::RunFailed);
    EXPECT_EQ(status.message(), "io_uring is refused: " + refusal);
    GTEST_SKIP() << "this machine refuses io_uring: " << refusal;
  }

  NvmeConfig config() {
    NvmeConfig config;
    config.folder = WINDLASS_BINARY_DIR;
    config.bytes = kFile;
    config.engine = GetParam().engine;
    config.direct = GetParam().direct;
    return config;
  }

  EngineFactory faulty(Faults faults) {
    return [faults](const EngineConfig &wanted) -> Result<std::unique_ptr<BlockEngine>> {
      auto real =
          GetParam().engine == NvmeEngine::Threads ? makeThreadEngine(wanted) : makeUringEngine(wanted);
      if (!real)
        return real.status();
      return std::unique_ptr<BlockEngine>(std::make_unique<FaultyEngine>(real.take(), faults));
    };
  }

  std::unique_ptr<NvmeStore> open(const NvmeConfig &config) {
    auto store = NvmeStore::create(config, notices);
    EXPECT_TRUE(store) << store.status().message();
    return store ? store.take() : nullptr;
  }

  static Arena filled(int64_t bytes, uint64_t seed) {
    Arena arena = Arena::create(bytes).take();
    std::mt19937_64 random(seed);
    for (int64_t at = 0; at < bytes; at += sizeof(uint64_t)) {
      uint64_t word = random();
      std::memcpy(arena.data() + at, &word, std::min<int64_t>(sizeof(word), bytes - at));
    }
    return arena;
  }

  /// Moves the whole arena in transfers of odd sizes, some of no bytes, with `depth` in flight. One thread
  /// submits, and one reaps.
  static Status moveAll(NvmeQueue &queue, Arena &memory, int64_t depth) {
    std::vector<Transfer> transfers;
    int64_t sizes[] = {0, 4096, 3 << 20, 0, 12288, (5 << 20) + 4096};
    for (int64_t at = 0, i = 0; at < memory.size(); ++i) {
      int64_t bytes = std::min(sizes[i % 6], memory.size() - at);
      transfers.push_back({memory.data() + at, at, bytes});
      at += bytes;
    }
    std::atomic<size_t> reaped = 0;
    Status submitted;
    std::jthread issuer([&] {
      for (size_t i = 0; i < transfers.size() && submitted.isOk(); ++i) {
        for (size_t seen = reaped; seen + depth <= i; seen = reaped)
          reaped.wait(seen);
        submitted = queue.submit(transfers[i]);
      }
    });
    for (size_t i = 0; i < transfers.size(); ++i) {
      Status status = queue.reap();
      if (!status.isOk()) {
        queue.stop();
        reaped = transfers.size() + depth;
        reaped.notify_all();
        issuer.join();
        queue.drain();
        return status;
      }
      ++reaped;
      reaped.notify_all();
    }
    return Status::ok();
  }

  std::vector<std::string> notices;
};

TEST_P(Nvme, whatIsWrittenIsRead) {
  Arena out = filled(kFile, 1), in = filled(kFile, 2);
  NvmeConfig wanted = config();
  if (GetParam().registered)
    wanted.pool = in.span(); // reads use pinned memory, writes do not
  auto store = open(wanted);
  ASSERT_TRUE(store);
  // A process that may not pin memory does without, and so does a file system that only buffers. There is a
  // notice of each.
  for (const std::string &notice : notices)
    EXPECT_TRUE(notice == kNotRegistered || (notice == kBuffered && !grantsDirectIo())) << notice;
  Status wrote = moveAll(*store->queue(IoDirection::Write), out, 4);
  ASSERT_TRUE(wrote) << wrote.message();
  Status read = moveAll(*store->queue(IoDirection::Read), in, 4);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(std::memcmp(out.data(), in.data(), kFile), 0);
}

TEST_P(Nvme, shortMovesAreContinued) {
  NvmeConfig faultyConfig = config();
  faultyConfig.factory = faulty({.seed = 7, .shortMoves = 0.7});
  auto store = open(faultyConfig);
  ASSERT_TRUE(store);
  Arena out = filled(kFile, 3), in = filled(kFile, 4);
  ASSERT_TRUE(moveAll(*store->queue(IoDirection::Write), out, 3));
  ASSERT_TRUE(moveAll(*store->queue(IoDirection::Read), in, 3));
  EXPECT_EQ(std::memcmp(out.data(), in.data(), kFile), 0);
}

/// A move may end within a sector. Past the page cache no move may begin there.
TEST_P(Nvme, shortMovesAreContinuedWhereASectorBegins) {
  NvmeConfig faultyConfig = config();
  faultyConfig.factory = faulty({.seed = 8, .shortMoves = 0.7, .ragged = 512});
  auto store = open(faultyConfig);
  ASSERT_TRUE(store);
  Arena out = filled(kFile, 3), in = filled(kFile, 4);
  const Status wrote = moveAll(*store->queue(IoDirection::Write), out, 3);
  ASSERT_TRUE(wrote) << wrote.message();
  const Status read = moveAll(*store->queue(IoDirection::Read), in, 3);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(std::memcmp(out.data(), in.data(), kFile), 0);
}

/// Answers every block with this number of bytes, and moves none.
class MiserlyEngine final : public BlockEngine {
public:
  explicit MiserlyEngine(int64_t bytes) : bytes(bytes) {}
  Status submit(const Block &block) override {
    std::lock_guard lock(mutex);
    asked.push_back(block.tag);
    waiting.notify_one();
    return Status::ok();
  }
  Result<BlockResult> wait() override {
    std::unique_lock lock(mutex);
    waiting.wait(lock, [this] { return !asked.empty(); });
    const BlockResult result = {asked.back(), bytes};
    asked.pop_back();
    return result;
  }
  Status interrupt() override { return submit({nullptr, 0, 0, BlockResult::kInterrupted}); }

private:
  int64_t bytes;
  std::mutex mutex;
  std::condition_variable waiting;
  std::vector<uint64_t> asked;
};

TEST(NvmeQueueTest, aDiskThatMovesNoWholeSectorFails) {
  Arena memory = Arena::create(8192).take();
  NvmeQueue queue(std::make_unique<MiserlyEngine>(512), IoDirection::Write, 1, 1);
  ASSERT_TRUE(queue.submit({memory.data(), 0, 8192}));
  EXPECT_EQ(queue.reap().message(),
            "nvme write of 8192 bytes at offset 0: no more than 512 bytes moved at a time");
  queue.stop();
  queue.drain();
}

TEST_P(Nvme, everyFailedCompletionIsSeen) {
  for (int error : {EIO, ENOSPC, 0})
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      NvmeConfig faultyConfig = config();
      faultyConfig.factory = faulty({.seed = seed, .shortMoves = 0.2, .errors = 0.3, .error = error});
      auto store = open(faultyConfig);
      ASSERT_TRUE(store);
      Arena out = filled(kFile, seed);
      Status status = moveAll(*store->queue(IoDirection::Write), out, 4);
      ASSERT_FALSE(status) << "seed " << seed;
      EXPECT_EQ(status.code(), ExitCode::RunFailed);
      EXPECT_NE(status.message().find(error == 0 ? "no bytes moved" : std::strerror(error)),
                std::string::npos)
          << status.message();
      EXPECT_NE(status.message().find("nvme write of "), std::string::npos) << status.message();
    }
}

TEST_P(Nvme, unalignedBytesGoThroughTheStagingBuffer) {
  auto store = open(config());
  ASSERT_TRUE(store);
  Arena base = filled(kFile, 5), part = filled(3'000'001, 6), all = filled(kFile, 7);
  ASSERT_TRUE(store->write(0, base.span()));
  ASSERT_TRUE(store->write(4097, part.span()));
  ASSERT_TRUE(store->read(0, all.span()));
  std::memcpy(base.data() + 4097, part.data(), part.size());
  EXPECT_EQ(std::memcmp(base.data(), all.data(), kFile), 0);
  Status outside = store->read(kFile - 1, part.span());
  EXPECT_EQ(outside.code(), ExitCode::Internal);
}

TEST_P(Nvme, shortWritesThroughTheStagingBufferAreContinuedWhereASectorBegins) {
  auto store = open(config());
  ASSERT_TRUE(store);
  Arena base = filled(kFile, 5), all = filled(kFile, 7);
  raggedWrites = 40;
  const Status wrote = store->write(0, base.span());
  EXPECT_TRUE(wrote) << wrote.message();
  EXPECT_LE(raggedWrites, 0) << "no fault came";
  raggedWrites = 0;
  ASSERT_TRUE(store->read(0, all.span()));
  EXPECT_EQ(std::memcmp(base.data(), all.data(), kFile), 0);
}

TEST_P(Nvme, aStoppedQueueReleasesItsReader) {
  auto store = open(config());
  ASSERT_TRUE(store);
  NvmeQueue &queue = *store->queue(IoDirection::Read);
  std::jthread stopper([&] { queue.stop(); });
  EXPECT_FALSE(queue.reap());
  queue.drain();
}

/// No ring may be that long, so that the kernel refuses it on every machine.
TEST(NvmeFallback, aRefusedRingBecomesAThreadPoolAndIsSaid) {
  NvmeConfig config;
  config.folder = WINDLASS_BINARY_DIR;
  config.bytes = 1 << 20;
  config.depth = 100'000;
  std::vector<std::string> notices;
  auto store = NvmeStore::create(config, notices);
  ASSERT_TRUE(store) << store.status().message();
  std::erase_if(notices, [](const std::string &notice) { return notice == kBuffered && !grantsDirectIo(); });
  ASSERT_EQ(notices.size(), 2u); // for reading and for writing
  EXPECT_NE(ringRefusal(100'001), "");
  for (const std::string &notice : notices)
    EXPECT_EQ(notice, "io_uring is refused: " + ringRefusal(100'001) + ": a thread pool is used");
  Arena memory = Arena::create(4096, 7).take(), back = Arena::create(4096).take();
  ASSERT_TRUE((*store)->queue(IoDirection::Write)->submit({memory.data(), 0, 4096}));
  ASSERT_TRUE((*store)->queue(IoDirection::Write)->reap());
  ASSERT_TRUE((*store)->queue(IoDirection::Read)->submit({back.data(), 0, 4096}));
  ASSERT_TRUE((*store)->queue(IoDirection::Read)->reap());
  EXPECT_EQ(std::memcmp(memory.data(), back.data(), 4096), 0);

  config.engine = NvmeEngine::IoUring;
  EXPECT_EQ(NvmeStore::create(config, notices).status().code(), ExitCode::RunFailed);
}

INSTANTIATE_TEST_SUITE_P(Engines, Nvme,
                         testing::Values(Case{"uringRegistered", NvmeEngine::IoUring, true, true},
                                         Case{"uringDirect", NvmeEngine::IoUring, true},
                                         Case{"uringBuffered", NvmeEngine::IoUring, false},
                                         Case{"threadsDirect", NvmeEngine::Threads, true},
                                         Case{"threadsBuffered", NvmeEngine::Threads, false}),
                         [](const auto &info) { return info.param.name; });

/// A limit on the size of files acts as a full disk on every file system.
TEST(ScratchFile, reservationFailureNamesFolderAndBytes) {
  auto *before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit given{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &given), 0);
  const rlimit small{1 << 20, given.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  auto file = ScratchFile::create(WINDLASS_BINARY_DIR, 4 << 20, true);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &given), 0);
  std::signal(SIGXFSZ, before);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().code(), ExitCode::RunFailed);
  EXPECT_EQ(file.status().message(),
            "scratch folder '" WINDLASS_BINARY_DIR "': 4,194,304 bytes cannot be reserved: File too large");
}

TEST(ScratchFile, missingFolderIsNamed) {
  auto file = ScratchFile::create("/nowhere/at/all", 4096, true);
  ASSERT_FALSE(file);
  EXPECT_NE(file.status().message().find("/nowhere/at/all"), std::string::npos);
}

TEST(ScratchFile, leavesNoName) {
  auto folder = std::filesystem::path(WINDLASS_BINARY_DIR) / "scratch-test";
  std::filesystem::create_directory(folder);
  auto file = ScratchFile::create(folder, 4096, true);
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

} // namespace
