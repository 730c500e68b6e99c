// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/weights/Weights.h"

#include "compiler/import/weights/MatchWeights.h"
#include "compiler/import/weights/WeightFiles.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "runtime/base/Hash.h"
#include "llvm/ADT/MapVector.h"
#include <filesystem>

using namespace mlir;

namespace windlass {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnresolved = -1;

bool isUnresolved(graph::SourceAttr source) { return source && source.getOffset() == kUnresolved; }

/// Makes every parameter start from its initialiser; an error if one has none.
Status dropSources(ModuleOp module) {
  for (auto state : module.getOps<graph::StateOp>()) {
    if (state->hasAttr(kNoInitialiser))
      return Status::badInput("parameter \"" + state.getOriginal().str() +
                              "\" has no \"init\" to start from without its weights");
    state.setInitAttr(withSource(state.getInit(), nullptr));
  }
  return Status::ok();
}

/// Opens a file that a model names. A link must not lead out of the model's folder.
Result<WeightFiles> openBeside(const fs::path &folder, const std::string &name) {
  std::error_code failure;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failure);
  const fs::path file = fs::weakly_canonical(root / name, failure);
  if (failure || std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first != root.end())
    return Status::badInput((folder / name).string() + ": leads out of the model's folder");
  return WeightFiles::open((folder / name).string());
}

/// Gives every unresolved source its place in its file.
Status resolveSources(ModuleOp module, const fs::path &folder) {
  llvm::MapVector<StringAttr, std::vector<graph::StateOp>> wanted;
  for (auto state : module.getOps<graph::StateOp>())
    if (graph::SourceAttr source = state.getInit().getSource(); isUnresolved(source))
      wanted[source.getFile()].push_back(state);
  std::string wrong;
  for (auto &[name, states] : wanted) {
    Result<WeightFiles> files = openBeside(folder, name.str());
    if (!files)
      return files.status();
    for (graph::StateOp state : states) {
      const std::string tensor = state.getInit().getSource().getTensor().str();
      auto found = files->tensors().find(tensor);
      wrong += found == files->tensors().end()
                   ? "\n  \"" + tensor + "\", for \"" + state.getOriginal().str() + "\", is missing"
                   : startFrom(state, tensor, found->second, state.getInit().getSource().getTransposed());
    }
    if (!wrong.empty())
      return Status::badInput((folder / name.str()).string() + ": the weights do not fit the model:" + wrong);
  }
  return Status::ok();
}

/// Records the files of the sources, with hashes that show later changes of them.
Status recordFiles(ModuleOp module) {
  Builder builder(module.getContext());
  llvm::SetVector<StringAttr> paths;
  for (auto state : module.getOps<graph::StateOp>()) {
    state->removeAttr(kNoInitialiser);
    if (graph::SourceAttr source = state.getInit().getSource())
      paths.insert(source.getFile());
  }
  SmallVector<Attribute> files;
  for (StringAttr path : paths) {
    Result<std::string> hash = hashOfFile(path.str());
    if (!hash)
      return hash.status();
    std::error_code ignored;
    files.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("path", path),
         builder.getNamedAttr(
             "bytes", builder.getI64IntegerAttr(static_cast<int64_t>(fs::file_size(path.str(), ignored)))),
         builder.getNamedAttr("hash", builder.getStringAttr(*hash))}));
  }
  if (!files.empty())
    module->setAttr(graph::kWeights, builder.getArrayAttr(files));
  return Status::ok();
}

/// The weights beside a config.json. A pickle cannot be read, and is an error rather than ignored.
Result<std::string> weightsOfFolder(const fs::path &folder) {
  std::string weights = WeightFiles::inFolder(folder.string());
  std::error_code ignored;
  for (const char *pickle : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
    if (weights.empty() && fs::exists(folder / pickle, ignored))
      return Status::badInput((folder / pickle).string() +
                              ": pickles are not read; save the model with safe_serialization=True, or give "
                              "--weights none to start from the initialisers");
  return weights;
}

} // namespace

graph::SourceAttr unresolvedSource(MLIRContext *context, const std::string &file, const std::string &tensor,
                                   bool transposed) {
  return graph::SourceAttr::get(context, StringAttr::get(context, file), StringAttr::get(context, tensor),
                                StringAttr::get(context, ""), kUnresolved, transposed);
}

graph::InitAttr withSource(graph::InitAttr init, graph::SourceAttr source) {
  return graph::InitAttr::get(init.getContext(), init.getNormal(), init.getMean(), init.getStd(), source);
}

Status chooseWeights(ModuleOp module, const std::string &model, const std::string &weights) {
  std::error_code ignored;
  const bool isFolder = fs::is_directory(model, ignored);
  const fs::path folder = isFolder ? fs::path(model) : fs::path(model).parent_path();
  const bool isConfig = isFolder || fs::path(model).filename() == "config.json";
  std::string given = weights;
  if (given.empty() && isConfig) {
    Result<std::string> found = weightsOfFolder(folder);
    if (!found)
      return found.status();
    given = found.take();
  }
  if (given == "none")
    return dropSources(module).in(model);
  if (given.empty())
    WINDLASS_TRY(resolveSources(module, folder));
  else
    WINDLASS_TRY(matchWeights(module, given, isConfig ? MayTie::Yes : MayTie::No));
  return recordFiles(module);
}

} // namespace windlass
