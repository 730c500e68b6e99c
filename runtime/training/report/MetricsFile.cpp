// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/report/MetricsFile.h"

#include "runtime/base/File.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

constexpr const char *kValidationLoss = "val_loss"; ///< only of steps that were evaluated

/// Up to the first line of a step after `stepsDone`, or a last line that a kill left half.
int64_t keptBytes(const std::string &text, int64_t stepsDone) {
  size_t begin = 0;
  for (size_t stop; (stop = text.find('\n', begin)) != std::string::npos; begin = stop + 1) {
    const nlohmann::json line = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                                      text.begin() + static_cast<std::ptrdiff_t>(stop),
                                                      nullptr, /*allow_exceptions=*/false);
    if (line.is_object() && line.contains("step") && line["step"].is_number_integer() &&
        line["step"].get<int64_t>() > stepsDone)
      break;
  }
  return static_cast<int64_t>(begin);
}

/// JSON knows no NaN.
std::string_view printNumber(double value, std::span<char> buffer) {
  if (!std::isfinite(value))
    return "null";
  return {buffer.data(), static_cast<size_t>(std::snprintf(buffer.data(), buffer.size(), "%.9g", value))};
}

} // namespace

Result<std::string> MetricsFile::linesUpTo(const std::string &path, int64_t stepsDone) {
  std::error_code unreachable;
  if (!std::filesystem::is_regular_file(path, unreachable))
    return std::string();
  Result<std::string> text = readFile(path);
  return text ? text->substr(0, static_cast<size_t>(keptBytes(*text, stepsDone))) : text;
}

Result<MetricsFile> MetricsFile::open(const std::string &path, int64_t stepsDone, bool paced,
                                      bool followLinks) {
  std::error_code unreachable;
  if (!followLinks && std::filesystem::is_symlink(path, unreachable))
    return Status::badInput(path + ": is a link; remove it, or name the file it leads to with --metrics");
  Result<std::string> lines = stepsDone > 0 ? linesUpTo(path, stepsDone) : std::string();
  if (!lines)
    return lines.status();
  const int64_t kept = std::ssize(*lines);
  Result<File> file = File::openForAppending(path, followLinks);
  if (!file)
    return file.status();
  WINDLASS_TRY(file->truncate(kept)); // in place: a kill here leaves no second file
  return MetricsFile(file.take(), kept, paced);
}

Status MetricsFile::append(const StepRecord &record, double wallSeconds) {
  if (!file.isOpen())
    return Status::ok();
  const ValidationRecord validation = record.validation.value_or(ValidationRecord());
  const std::array<std::pair<const char *, double>, 8> values = {
      {{"loss", record.loss},
       {kValidationLoss, validation.loss},
       {"grad_norm", record.gradientNorm},
       {"lr", record.learningRate},
       {"step_time_s", record.seconds},
       {"tokens_per_s", record.tokensPerSecond},
       {"examples_per_s", record.examplesPerSecond},
       {"wall_time", wallSeconds}}};
  std::array<char, 768> line;
  int length = std::snprintf(line.data(), line.size(), "{\"step\":%lld", static_cast<long long>(record.step));
  for (const auto &[name, value] : values) {
    if (name == std::string_view(kValidationLoss) && !record.validation)
      continue;
    std::array<char, 32> number;
    const std::string_view text = printNumber(value, number);
    length += std::snprintf(line.data() + length, line.size() - length, ",\"%s\":%.*s", name,
                            static_cast<int>(text.size()), text.data());
  }
  if (!std::isnan(record.lossScale))
    length += std::snprintf(line.data() + length, line.size() - length, ",\"loss_scale\":%.9g,\"skipped\":%s",
                            record.lossScale, record.skipped ? "true" : "false");
  length += std::snprintf(line.data() + length, line.size() - length,
                          ",\"nvme_bytes_read\":%lld,\"nvme_bytes_written\":%lld,\"data_position\":%lld%s}\n",
                          static_cast<long long>(record.nvmeBytesRead),
                          static_cast<long long>(record.nvmeBytesWritten),
                          static_cast<long long>(record.dataPosition), paced ? ",\"paced\":true" : "");
  const std::span<const char> written(line.data(), static_cast<size_t>(length));
  WINDLASS_TRY(file.writeAt(end, std::as_bytes(written)));
  end += length;
  return Status::ok();
}

} // namespace windlass
