// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StateShards.h - files of tensors, written by all who hold them ========//
//
// Duty: the files of a set of tensors, cut along their first dimension into one per shard, while the
// processes of a job write them. Whoever sees the first process's folder writes what it holds at its place;
// who does not hands it to the first process, a bounded amount at a time.
// Format: StateFile.h. Threads: one. Errors: those of files; the verdict of the job.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Safetensors.h"
#include "runtime/launch/FolderReach.h"
#include <map>
#include <string>
#include <vector>

namespace windlass {

/// Elements from one index of dimension 0 to the next.
int64_t rowElements(const std::vector<int64_t> &shape);

class StateShards {
public:
  static constexpr const char *kVersionKey = "DCP_VERSION", *kVersion = "1.0",
                              *kShardingKey = "DCP_SHARDING_INFO", *kOffsetsKey = "saved_offsets";

  /// `paths`: a file for each shard, in one folder. `tensors`: in the order in which they are written.
  static Result<StateShards> open(const std::vector<std::string> &paths, std::vector<TensorEntry> tensors,
                                  JobProcess &job);

  const std::vector<TensorEntry> &tensors() const { return whole; }
  /// Elements [first, ...) of a tensor, that this process holds.
  Status write(size_t tensor, int64_t first, std::span<const std::byte> in);
  /// Nothing more comes of a tensor from here.
  Status seal(size_t tensor);
  /// Syncs the files, of which all is written; returns their hashes. Those of a job the first process alone
  /// knows.
  Result<std::vector<std::string>> finish();

private:
  /// One file, and where each of its tensors stands in it.
  struct File {
    SafetensorsWriter writer;
    std::map<std::string, const TensorEntry *> entries;
  };
  using OpenWriter = Result<SafetensorsWriter> (*)(const std::string &path, std::vector<TensorEntry> tensors,
                                                   const std::map<std::string, std::string> &metadata);

  explicit StateShards(JobProcess &job) : job(&job) {}
  Status openFiles(OpenWriter open);
  Result<File> openFile(int64_t shard, OpenWriter open) const;
  Status writeHere(size_t tensor, int64_t first, std::span<const std::byte> in);
  Status takeHanded(std::string_view handed);
  Result<bool> handOver(bool isLast);

  JobProcess *job;
  FolderReach reach;
  std::vector<std::string> paths;
  std::vector<TensorEntry> whole;
  std::vector<File> files;
  std::string handing; ///< what waits to be handed to the first process
};

} // namespace windlass
