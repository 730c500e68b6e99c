// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StateFile.h - states as the tensors of safetensors files ==============//
//
// Duty: writes states as logical, unpadded tensors under their original names,
// into one file or, cut along their first dimension, into one per shard; reads
// them back by range from either. Nothing in it depends on ranks, stage or
// placement.
// Format of shards: what torch.distributed.checkpoint's HuggingFaceStorageReader
// reads: shard-00001-STEM-00001-of-00001.safetensors, ..., each with the offsets
// of its tensors in DCP_SHARDING_INFO of its metadata.
// Errors: BadInput for files that break the format or leave gaps.
// Threads: one. Memory: one staging buffer.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Safetensors.h"
#include "runtime/training/states/States.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// The name of a state's tensor in its file: NAME, exp_avg/NAME, exp_avg_sq/NAME.
std::string tensorName(const plan::State &state);
/// "F32", ...
std::string tensorType(plan::ElementType type);

/// Whether numbers that are not finite are written, or refused.
enum class NotFinite : uint8_t { Written, Refused };

/// Writes all elements of some states; the slices of a tensor make one. With a `factor` what is written are
/// their products with it, in f32. RunFailed for a number that is refused.
/// `paths`: one file per shard; one path is a plain file. They are synced; their hashes (Hash.h) are
/// returned. The processes of a job write together, each what it holds, at its place; the first one creates
/// the files and knows their hashes at the end. They must share the folder.
Result<std::vector<std::string>> writeStates(const std::vector<std::string> &paths,
                                             const std::vector<const plan::State *> &states,
                                             StateStream &stream, std::optional<double> factor = {},
                                             NotFinite notFinite = NotFinite::Written);

/// The same into one file, which appears whole or not at all.
Status writeStateFile(const std::string &path, const std::vector<const plan::State *> &states,
                      StateStream &stream, std::optional<double> factor = {});

/// FOLDER/STEM.safetensors, or the files of so many shards.
std::vector<std::string> stateFiles(const std::string &folder, const std::string &stem, int64_t shards);

/// Tensors that were written as a plain file or as shards.
class StoredStates {
public:
  /// Rows of a tensor that stand in one file.
  struct Part {
    const SafetensorsReader *file;
    const TensorEntry *entry;
    int64_t row; ///< of the tensor, that the part begins with
  };
  struct Tensor {
    std::string type;
    std::vector<int64_t> shape;
    std::vector<Part> parts; ///< by row, without gap or overlap
  };

  /// FOLDER/STEM.safetensors, or else all shards of STEM in the folder.
  static Result<StoredStates> open(const std::string &folder, const std::string &stem);

  const std::map<std::string, Tensor> &tensors() const { return byName; }
  std::vector<std::string> paths() const;
  /// Elements [first, ...) of a tensor, in the type of `state`.
  Status read(const Tensor &tensor, const plan::State &state, int64_t first, std::span<std::byte> out) const;

private:
  Status add(const std::string &path);
  Status join(const std::string &name, Tensor &tensor) const;

  std::vector<std::unique_ptr<SafetensorsReader>> files;
  std::map<std::string, Tensor> byName;
};

} // namespace windlass
