#include "runtime/training/MetricsFile.h"

#include "runtime/base/File.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

/// The whole lines of steps up to `stepsDone`.
std::string keptLines(const std::string &text, int64_t stepsDone) {
  std::string kept;
  for (size_t begin = 0, stop; (stop = text.find('\n', begin)) != std::string::npos; begin = stop + 1) {
    const nlohmann::json line = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                                      text.begin() + static_cast<std::ptrdiff_t>(stop),
                                                      nullptr, /*allow_exceptions=*/false);
    if (line.is_object() && line.contains("step") && line["step"].is_number_integer() &&
        line["step"].get<int64_t>() <= stepsDone)
      kept.append(text, begin, stop + 1 - begin);
  }
  return kept;
}

/// JSON knows no NaN.
std::string_view printNumber(double value, std::span<char> buffer) {
  if (!std::isfinite(value))
    return "null";
  return {buffer.data(), static_cast<size_t>(std::snprintf(buffer.data(), buffer.size(), "%.9g", value))};
}

} // namespace

Result<MetricsFile> MetricsFile::open(const std::string &path, int64_t stepsDone, std::string rateName) {
  std::string kept;
  if (stepsDone > 0 && std::filesystem::exists(path)) {
    Result<std::string> text = readFile(path);
    if (!text)
      return text.status();
    kept = keptLines(*text, stepsDone);
  }
  if (Status written = writeFileAtomically(path, kept); !written.isOk())
    return Status::runFailed(written.message());
  Result<File> file = File::openForAppending(path);
  if (!file)
    return file.status();
  return MetricsFile(file.take(), std::ssize(kept), std::move(rateName));
}

Status MetricsFile::append(const StepRecord &record, double wallSeconds) {
  const std::array<std::pair<const char *, double>, 7> values = {{{"loss", record.loss},
                                                                  {"val_loss", record.validationLoss},
                                                                  {"grad_norm", record.gradientNorm},
                                                                  {"lr", record.learningRate},
                                                                  {"step_time_s", record.seconds},
                                                                  {rateName.c_str(), record.samplesPerSecond},
                                                                  {"wall_time", wallSeconds}}};
  std::array<char, 768> line;
  int length = std::snprintf(line.data(), line.size(), "{\"step\":%lld", static_cast<long long>(record.step));
  for (const auto &[name, value] : values) {
    const bool optional = value != value && name != std::string_view("loss");
    std::array<char, 32> number;
    const std::string_view text = printNumber(value, number);
    if (!optional)
      length += std::snprintf(line.data() + length, line.size() - length, ",\"%s\":%.*s", name,
                              static_cast<int>(text.size()), text.data());
  }
  length += std::snprintf(line.data() + length, line.size() - length,
                          ",\"nvme_bytes_read\":%lld,\"nvme_bytes_written\":%lld,\"data_position\":%lld}\n",
                          static_cast<long long>(record.nvmeBytesRead),
                          static_cast<long long>(record.nvmeBytesWritten),
                          static_cast<long long>(record.dataPosition));
  const std::span<const char> written(line.data(), static_cast<size_t>(length));
  WINDLASS_TRY(file.writeAt(end, std::as_bytes(written)));
  end += length;
  return Status::ok();
}

} // namespace windlass
