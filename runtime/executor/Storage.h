// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Storage.h - the bytes of every rank ===================================//
//
// Duty: reserves the arenas and the scratch file of each rank, and says where an
// operand lies in them. Bytes of the device are moved by its memory alone.
// Ownership: owns arenas and files; the plan must outlive it.
// Threads: const queries from any; moves of NVMe bytes as NvmeStore says.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backend/Backend.h"
#include "runtime/executor/Executor.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/RankSet.h"
#include "runtime/tiers/NvmeStore.h"
#include <memory>
#include <vector>

namespace windlass {

class Storage {
public:
  /// `factory` stands in for the NVMe engine (tests); empty: as the options say.
  static Result<std::unique_ptr<Storage>> create(const plan::Plan &plan, const ExecutorOptions &options,
                                                 Backend &backend, const EngineFactory &factory,
                                                 std::vector<std::string> &notices);

  /// The ranks whose bytes these are.
  const plan::RankSet &ranks() const { return local; }

  /// Where an operand of the rank's program begins, on the host or on the device; null on NVMe.
  std::byte *address(int64_t rank, const plan::Operand &operand) const;
  DeviceMemory &device(int64_t rank) const { return *at(rank).device; }
  NvmeStore &nvme(int64_t rank) { return *at(rank).nvme; }
  bool hasNvme(int64_t rank) const { return at(rank).nvme != nullptr; }
  std::span<const std::byte> arena(int64_t rank, plan::Tier tier) const;

  Status read(int64_t rank, const plan::Operand &operand, int64_t at, std::span<std::byte> out);
  Status write(int64_t rank, const plan::Operand &operand, int64_t at, std::span<const std::byte> in);

private:
  struct Rank {
    Arena host;
    std::unique_ptr<DeviceMemory> device; ///< has pinned `host`
    std::unique_ptr<NvmeStore> nvme;      ///< may have registered it; null where nothing rests on a disk
  };
  const Rank &at(int64_t rank) const { return held[local.placeOf(rank)]; }
  const plan::Program &programOf(int64_t rank) const { return plan::programOf(*plan, rank); }
  Status reserve(int64_t rank, const ExecutorOptions &options, Backend &backend);
  Status openNvme(int64_t rank, const ExecutorOptions &options, NvmeConfig config,
                  std::vector<std::string> &notices);
  Status checkRange(int64_t rank, const plan::Operand &operand, int64_t at, size_t bytes) const;

  const plan::Plan *plan = nullptr;
  plan::RankSet local;
  std::vector<Rank> held; ///< by place in `local`
};

} // namespace windlass
