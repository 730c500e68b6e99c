// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/BlockEngine.h"
#include <cerrno>
#include <cstring>
#include <liburing.h>
#include <sys/resource.h>

namespace windlass {

namespace {

class UringEngine final : public BlockEngine {
public:
  explicit UringEngine(const EngineConfig &config) : config(config) {}
  ~UringEngine() override {
    if (started)
      io_uring_queue_exit(&ring);
  }

  Status start() {
    int error = io_uring_queue_init(config.slots + 1, &ring, 0); // one slot more for the interruption
    if (error < 0)
      return Status::runFailed(std::string("io_uring is refused: ") + std::strerror(-error));
    started = true;
    io_uring_probe *probe = io_uring_get_probe_ring(&ring);
    bool known = probe && io_uring_opcode_supported(probe, IORING_OP_READ) &&
                 io_uring_opcode_supported(probe, IORING_OP_WRITE);
    if (probe)
      io_uring_free_probe(probe);
    if (!known)
      return Status::runFailed("io_uring of this kernel cannot read and write");
    registerMemory();
    return Status::ok();
  }

  Status submit(const Block &block) override {
    io_uring_sqe *entry = io_uring_get_sqe(&ring);
    if (!entry)
      return Status::internal("io_uring queue is full");
    bool read = config.direction == IoDirection::Read;
    auto bytes = static_cast<unsigned>(block.bytes);
    if (isRegistered(block) && read)
      io_uring_prep_read_fixed(entry, config.descriptor, block.memory, bytes, block.offset, 0);
    else if (isRegistered(block))
      io_uring_prep_write_fixed(entry, config.descriptor, block.memory, bytes, block.offset, 0);
    else if (read)
      io_uring_prep_read(entry, config.descriptor, block.memory, bytes, block.offset);
    else
      io_uring_prep_write(entry, config.descriptor, block.memory, bytes, block.offset);
    return push(entry, block.tag);
  }

  Result<BlockResult> wait() override {
    io_uring_cqe *completion = nullptr;
    int error;
    do
      error = io_uring_wait_cqe(&ring, &completion);
    while (error == -EINTR);
    if (error < 0)
      return Status::runFailed(std::string("io_uring cannot wait: ") + std::strerror(-error));
    BlockResult result{io_uring_cqe_get_data64(completion), completion->res};
    io_uring_cqe_seen(&ring, completion);
    return result;
  }

  Status interrupt() override {
    io_uring_sqe *entry = io_uring_get_sqe(&ring);
    if (!entry)
      return Status::internal("io_uring queue is full");
    io_uring_prep_nop(entry);
    return push(entry, BlockResult::kInterrupted);
  }

  bool hasRegistered() const override { return registered; }

private:
  Status push(io_uring_sqe *entry, uint64_t tag) {
    io_uring_sqe_set_data64(entry, tag);
    int pushed;
    do
      pushed = io_uring_submit(&ring);
    while (pushed == -EINTR || pushed == -EAGAIN);
    if (pushed < 0)
      return Status::runFailed(std::string("io_uring cannot submit: ") + std::strerror(-pushed));
    return Status::ok();
  }

  /// Pinned memory saves a page walk per block; without it everything works the same.
  void registerMemory() {
    constexpr size_t kLargest = size_t{1} << 30; // the kernel's limit for one buffer
    rlimit limit{};
    if (config.registered.empty() || config.registered.size() > kLargest ||
        getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || config.registered.size() > limit.rlim_cur)
      return;
    iovec memory{config.registered.data(), config.registered.size()};
    registered = io_uring_register_buffers(&ring, &memory, 1) == 0;
  }

  bool isRegistered(const Block &block) const {
    return registered && block.memory >= config.registered.data() &&
           block.memory + block.bytes <= config.registered.data() + config.registered.size();
  }

  EngineConfig config;
  io_uring ring{};
  bool started = false;
  bool registered = false;
};

} // namespace

Result<std::unique_ptr<BlockEngine>> makeUringEngine(const EngineConfig &config) {
  auto engine = std::make_unique<UringEngine>(config);
  WINDLASS_TRY(engine->start());
  return std::unique_ptr<BlockEngine>(std::move(engine));
}

} // namespace windlass
