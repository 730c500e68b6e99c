// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/StartingWeights.h"

#include "runtime/base/Hash.h"
#include "runtime/training/states/StoredValues.h"
#include <functional>
#include <numeric>

namespace windlass {
namespace {

std::string placeOf(const plan::WeightFile &weights, const std::string &folder) {
  return folder.empty() ? weights.path
                        : folder + "/" + weights.path.substr(weights.path.find_last_of('/') + 1);
}

/// The file, if it is the one the plan was compiled with.
Result<File> openSame(const plan::WeightFile &weights, const std::string &path) {
  const std::string remedy = "; compile the model again, or say with --weights where the file is";
  Result<File> file = File::openForReading(path);
  if (!file)
    return Status::badInput(file.status().message() + ", but the plan starts from its weights" + remedy);
  Result<int64_t> size = file->size();
  if (!size)
    return Status::badInput(size.status().message());
  if (*size != weights.bytes)
    return Status::badInput(path + ": has " + std::to_string(*size) +
                            " bytes, but the plan was compiled with weights of " +
                            std::to_string(weights.bytes) + remedy);
  Result<std::string> hash = hashOfFile(path);
  if (!hash)
    return hash.status();
  if (*hash != weights.hash)
    return Status::badInput(path + ": has hash " + *hash +
                            ", but the plan was compiled with weights of hash " + weights.hash + remedy);
  return file;
}

} // namespace

Result<StartingWeights> StartingWeights::open(const plan::Plan &plan, const std::string &folder) {
  StartingWeights weights;
  for (const plan::WeightFile &named : plan.weights) {
    Result<File> file = openSame(named, placeOf(named, folder));
    if (!file)
      return file.status();
    weights.files.push_back(file.take());
  }
  for (const plan::Program &program : plan.programs)
    for (const plan::State &state : program.states)
      WINDLASS_TRY(weights.unpack(state));
  return weights;
}

Status StartingWeights::unpack(const plan::State &state) {
  const plan::TensorSource &source = state.source;
  const bool isPacked =
      source.type == plan::StoredType::PackedF16 || source.type == plan::StoredType::PackedBF16;
  if (source.file < 0 || !isPacked || packed.contains({source.file, source.offset}))
    return Status::ok();
  const std::vector<int64_t> &shape = state.tensorShape();
  Result<PackedHalves> halves =
      PackedHalves::open(files[static_cast<size_t>(source.file)], source.offset,
                         std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>()));
  if (!halves)
    return halves.status().in("tensor \"" + source.tensor + "\"");
  packed.emplace(Place(source.file, source.offset), halves.take());
  return Status::ok();
}

StateSource StartingWeights::values(uint64_t seed) const {
  return
      [this, drawn = initialValues(seed)](const plan::State &state, int64_t first, std::span<std::byte> out) {
        return state.source.file < 0 ? drawn(state, first, out) : read(state, first, out);
      };
}

Status StartingWeights::read(const plan::State &state, int64_t first, std::span<std::byte> out) const {
  const plan::TensorSource &source = state.source;
  auto halves = packed.find({source.file, source.offset});
  const StoredTensor tensor = {&files.at(static_cast<size_t>(source.file)), source.offset, source.type,
                               halves == packed.end() ? nullptr : &halves->second};
  const std::vector<int64_t> &shape = state.tensorShape();
  const Status status = source.transposed ? readTransposed(tensor, shape[0], shape[1], first, state.type, out)
                                          : readStored(tensor, first, state.type, out);
  return status.in("tensor \"" + source.tensor + "\"");
}

} // namespace windlass
