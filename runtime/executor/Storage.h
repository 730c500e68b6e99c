//===- Storage.h - the bytes of every rank ================================//
//
// Duty: reserves the arenas and the scratch file of each rank, and says where an
// operand lies in them.
// Ownership: owns arenas and files; the plan must outlive it.
// Threads: const queries from any; moves of NVMe bytes as NvmeStore says.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/plan/Layout.h"
#include "runtime/tiers/NvmeStore.h"
#include <array>
#include <memory>
#include <vector>

namespace windlass {

class Storage {
public:
  /// `factory` stands in for the NVMe engine (tests); empty: as the options say.
  static Result<std::unique_ptr<Storage>> create(const plan::Plan &plan, const ExecutorOptions &options,
                                                 const EngineFactory &factory,
                                                 std::vector<std::string> &notices);

  /// Null for operands on NVMe.
  std::byte *address(int64_t rank, const plan::Operand &operand) const;
  NvmeStore &nvme(int64_t rank) { return *ranks[rank].nvme; }
  bool hasNvme() const { return !ranks.empty() && ranks.front().nvme; }
  std::span<const std::byte> arena(int64_t rank, plan::Tier tier) const;

  Status read(int64_t rank, const plan::Operand &operand, int64_t at, std::span<std::byte> out);
  Status write(int64_t rank, const plan::Operand &operand, int64_t at, std::span<const std::byte> in);

private:
  struct Rank {
    std::array<Arena, 2> memory; ///< Device, Host
    std::unique_ptr<NvmeStore> nvme;
  };
  Status checkRange(int64_t rank, const plan::Operand &operand, int64_t at, size_t bytes) const;
  bool isOnNvme(const plan::Operand &operand) const;

  const plan::Plan *plan = nullptr;
  std::vector<Rank> ranks;
};

} // namespace windlass
