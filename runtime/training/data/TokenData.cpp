// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/TokenData.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Hash.h"
#include "runtime/base/Units.h"
#include "runtime/training/data/ByteVocabulary.h"
#include "runtime/training/data/DataFiles.h"
#include "runtime/training/data/Fingerprint.h"
#include <algorithm>

namespace windlass {
namespace {

/// Tokens of longer data are compared with the vocabulary when they are read, not before the run.
constexpr int64_t kMostCheckedFirst = int64_t{1} << 30;

} // namespace

Result<std::unique_ptr<DataSource>> TokenData::open(const std::string &specification, const std::string &type,
                                                    const plan::Plan &plan) {
  auto data = std::make_unique<TokenData>();
  Result<std::vector<std::string>> files = dataFiles(specification);
  WINDLASS_TRY(files.status());
  WINDLASS_TRY(data->openParts(specification, *files, type));
  WINDLASS_TRY(data->readInputs(specification, plan));
  const bool isText = data->parts[0].file.isText();
  if (isText && !isByteVocabulary(data->bound))
    return Status::badInput(
        specification + ": is text, which is trained as bytes, but the model's vocabulary of " +
        formatCount(data->bound) +
        " tokens is not bytes: encode it with the model's tokenizer and save the tokens as .npy "
        "or .bin (numpy.save(\"tokens.npy\", numpy.array(tokens, dtype=\"<u4\")))");
  if ((!isText || data->bound < 256) && data->tokens <= kMostCheckedFirst)
    WINDLASS_TRY(data->checkVocabulary());
  WINDLASS_TRY(data->split(data->tokens / data->window, plan.training.validationFraction, specification,
                           "windows of " + counted(data->window, isText ? "byte" : "token")));
  data->text = (isText ? "text, " + counted(data->tokens, "byte") : counted(data->tokens, "token")) + " in " +
               counted(std::ssize(data->parts), "file");
  Result<std::string> fingerprint = fingerprintOf(*files);
  WINDLASS_TRY(fingerprint.status());
  data->fingerprintText = hashOfBytes(data->text + *fingerprint); // the same bytes may be other tokens
  return std::unique_ptr<DataSource>(std::move(data));
}

Status TokenData::openParts(const std::string &specification, const std::vector<std::string> &files,
                            const std::string &type) {
  for (const std::string &name : files) {
    Result<TokenFile> file = TokenFile::open(name, type);
    if (!file)
      return file.status();
    if (!parts.empty() && parts[0].file.isText() != file->isText())
      return Status::badInput(specification + ": holds text and tokens: " + parts[0].file.path() + " and " +
                              name);
    tokens += file->tokens();
    parts.push_back({file.take(), tokens - file->tokens()});
  }
  return Status::ok();
}

Status TokenData::readInputs(const std::string &specification, const plan::Plan &plan) {
  for (const plan::Input &input : plan.inputs) {
    if (input.role != plan::InputRole::Tokens && input.role != plan::InputRole::Labels)
      return Status::badInput(
          specification + ": text and tokens cannot feed input \"" + input.name +
          "\", which is neither tokens nor labels; give a .safetensors file or \"synthetic\"");
    if (window > 0 && window != rowElements(input) + 1)
      return Status::badInput(
          specification + ": text and tokens feed inputs of one length, but \"" + plan.inputs.front().name +
          "\" has " + counted(window - 1, "token") + " an example, and \"" + input.name + "\" has " +
          std::to_string(rowElements(input)) + "; give a .safetensors file or \"synthetic\"");
    window = rowElements(input) + 1;
    bound = std::min(bound, input.bound);
  }
  if (window == 0)
    return Status::badInput(specification + ": the model reads no tokens");
  for (const Part &part : parts)
    if (part.file.rowTokens() > 0 && part.file.rowTokens() != window)
      return Status::badInput(part.file.path() + ": has rows of " + counted(part.file.rowTokens(), "token") +
                              ", but an example takes " + std::to_string(window) +
                              ": a sequence and the token after it");
    else if (part.file.rowTokens() > 0 && part.begin % window != 0)
      return Status::badInput(
          part.file.path() + ": its rows would not be examples, for the files before it hold " +
          counted(part.begin, "token") + ", no multiple of the " + std::to_string(window) + " of a row");
  return Status::ok();
}

Status TokenData::checkVocabulary() const {
  std::vector<int32_t> buffer(1 << 18);
  for (const Part &part : parts)
    for (int64_t at = 0; at < part.file.tokens(); at += std::ssize(buffer)) {
      const int64_t some = std::min<int64_t>(part.file.tokens() - at, std::ssize(buffer));
      WINDLASS_TRY(part.file.read(at, bound, std::span(buffer).first(static_cast<size_t>(some))));
    }
  return Status::ok();
}

Status TokenData::read(const plan::Input &input, int64_t example, std::span<std::byte> out) const {
  int64_t at = example * window + (isNextToken(input) ? 1 : 0);
  std::span<int32_t> wanted(reinterpret_cast<int32_t *>(out.data()), static_cast<size_t>(window - 1));
  auto part = std::upper_bound(parts.begin(), parts.end(), at,
                               [](int64_t position, const Part &p) { return position < p.begin; });
  for (--part; !wanted.empty(); ++part) {
    const int64_t inside = at - part->begin;
    const size_t some = std::min(wanted.size(), static_cast<size_t>(part->file.tokens() - inside));
    WINDLASS_TRY(part->file.read(inside, bound, wanted.first(some)));
    wanted = wanted.subspan(some);
    at += static_cast<int64_t>(some);
  }
  return Status::ok();
}

} // namespace windlass
