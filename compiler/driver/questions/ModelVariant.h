// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelVariant.h - the same model in another size =======================//
//
// Duty: writes a Hugging Face configuration with another number of layers or another hidden size to a file.
// Heads keep their size, so that their number grows with the hidden size; the inner size of a layer grows in
// proportion, also from the default of a family whose configuration leaves it out. Types of layers
// (`layer_types`) repeat: the shortest pattern that makes the given list, at most the list itself, goes on
// for more layers, and ends early for fewer. Ownership: a variant owns the folder of the file, and removes it
// at its end. Errors: BadInput, naming file and key, also for a model that is no such configuration. Threads:
// none shared.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace windlass {

class ModelVariant {
public:
  static Result<ModelVariant> of(const std::string &model);
  ModelVariant(ModelVariant &&other) noexcept;
  ModelVariant &operator=(ModelVariant &&) = delete;
  ~ModelVariant();

  int64_t layers() const;
  int64_t hidden() const;
  /// The unit of hidden sizes, which must be multiples of it.
  int64_t hiddenUnit() const;
  /// Writes the configuration of that size, and returns its path.
  Result<std::string> withLayers(int64_t layers);
  Result<std::string> withHidden(int64_t hidden);

private:
  ModelVariant(nlohmann::json config, std::string name) : config(std::move(config)), name(std::move(name)) {}
  Result<std::string> write(const nlohmann::json &changed);

  nlohmann::json config;
  std::string name;   ///< of the model's folder, which names the model
  std::string folder; ///< empty until a file is written
};

} // namespace windlass
