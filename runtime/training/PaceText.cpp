// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/PaceText.h"

#include "runtime/base/DiskBlock.h"
#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

namespace windlass {
namespace {

using nlohmann::json;
using plan::Lane;

/// Where a link's figures stand in a hardware file, as paths that are also keys of "measured".
struct LinkKeys {
  Lane lane;
  const char *rate, *latency;
  bool perDevice;
};
constexpr std::array<LinkKeys, 5> kLinks = {{
    {Lane::NcIn, "nvme.read", "nvme.latency", false},
    {Lane::NcOut, "nvme.write", "nvme.latency", false},
    {Lane::CgIn, "links.cg.in", "links.cg.latency", true},
    {Lane::CgOut, "links.cg.out", "links.cg.latency", true},
    {Lane::Gg, "links.gg.bandwidth", "links.gg.latency", true},
}};

constexpr double kLongestLatency = 1000; // seconds, as in a hardware file

Result<double> parseByteRate(std::string_view text) { return parseRateOf("B", text); }

/// A number, or text with a unit.
Result<double> quantity(const json &value, Result<double> (*parse)(std::string_view)) {
  if (value.is_number() && value.get<double>() >= 0)
    return value.get<double>();
  if (value.is_string())
    return parse(value.get<std::string>());
  return Status::badInput("must be a number or a text with a unit, is " + value.dump());
}

/// The rate of a disk with the time of its requests.
double withRequests(double perSecond, double requestSeconds) {
  return perSecond / (1 + requestSeconds * perSecond / static_cast<double>(kDiskBlockBytes));
}

/// What a hardware file says at a path; what was measured takes the place of what was declared.
std::optional<json> valueAt(const json &machine, std::string path) {
  const json measured = machine.value("measured", json());
  if (measured.is_object() && measured.contains(path))
    return measured.at(path);
  std::ranges::replace(path, '.', '/');
  const json::json_pointer declared("/" + path);
  return machine.contains(declared) ? std::optional(machine.at(declared)) : std::nullopt;
}

/// The seconds at a path; 0 where the file says nothing.
Result<double> secondsAt(const json &machine, const std::string &path) {
  const std::optional<json> value = valueAt(machine, path);
  Result<double> seconds = value ? quantity(*value, parseSeconds) : 0.0;
  return seconds ? seconds : seconds.status().in(path);
}

/// The link of a hardware file whose rate is `rate`.
Result<PacedLink> linkOf(const json &machine, const LinkKeys &keys, const json &rate, int64_t ranks) {
  const Result<double> perSecond = quantity(rate, parseByteRate);
  if (!perSecond)
    return perSecond.status().in(keys.rate);
  const Result<double> latency = secondsAt(machine, keys.latency);
  if (!latency)
    return latency.status();
  const Result<double> request = secondsAt(machine, "nvme.request_time");
  if (!request)
    return request.status();
  const bool isDisk = keys.lane == Lane::NcIn || keys.lane == Lane::NcOut;
  const double rateOfOne = isDisk ? withRequests(*perSecond, *request) : *perSecond;
  return PacedLink{keys.lane, rateOfOne * static_cast<double>(keys.perDevice ? ranks : 1), *latency};
}

Result<std::vector<PacedLink>> fromFile(const std::string &path, int64_t ranks) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.status();
  Result<json> machine = JsonReader::parse(*text, path);
  if (!machine)
    return machine.status();
  if (!machine->is_object() || machine->value("format", json()) != "windlass.hardware/1")
    return Status::badInput(path + ": format: must be \"windlass.hardware/1\"");
  std::vector<PacedLink> links;
  for (const LinkKeys &keys : kLinks) {
    const std::optional<json> rate = valueAt(*machine, keys.rate);
    if (!rate)
      continue;
    Result<PacedLink> link = linkOf(*machine, keys, *rate, ranks);
    if (!link)
      return link.status().in(path);
    links.push_back(*link);
  }
  return links;
}

Status wrongUse(const std::string &what) { return {ExitCode::Usage, "--pace: " + what}; }

/// "cg_in=12GB/s+5us"
Result<PacedLink> fromText(const std::string &text) {
  const size_t equals = text.find('='), plus = text.find('+', equals == std::string::npos ? 0 : equals);
  const std::optional<Lane> lane = plan::fromText<Lane>(text.substr(0, equals));
  if (!lane || equals == std::string::npos || *lane == Lane::Compute || *lane == Lane::HostCompute)
    return wrongUse("\"" + text +
                    "\" is neither a file nor a link's rate, such as \"cg_in=12GB/s\" or "
                    "\"nc_in=3GB/s+50us\" (links: nc_in, nc_out, cg_in, cg_out, gg, nodes)");
  Result<double> rate =
      parseByteRate(text.substr(equals + 1, plus == std::string::npos ? plus : plus - equals - 1));
  Result<double> latency = plus == std::string::npos ? 0.0 : parseSeconds(text.substr(plus + 1));
  if (!rate || !latency)
    return wrongUse((!rate ? rate : latency).status().message());
  return PacedLink{*lane, *rate, *latency};
}

} // namespace

Result<std::vector<PacedLink>> readPace(const std::string &specification, int64_t ranks) {
  std::error_code failure;
  std::vector<PacedLink> links;
  const bool isFile = std::filesystem::is_regular_file(specification, failure);
  if (isFile) {
    Result<std::vector<PacedLink>> read = fromFile(specification, ranks);
    if (!read)
      return read;
    links = read.take();
  } else {
    std::istringstream parts(specification);
    for (std::string part; std::getline(parts, part, ',');) {
      Result<PacedLink> link = fromText(part);
      if (!link)
        return link.status();
      links.push_back(*link);
    }
  }
  auto wrong = [&](const std::string &what) {
    return isFile ? Status::badInput(specification + ": " + what) : wrongUse(what);
  };
  for (const PacedLink &link : links) {
    const std::string name = "link \"" + std::string(plan::textOf(link.lane)) + "\"";
    if (!(link.bytesPerSecond >= 1))
      return wrong(name + " has no rate of at least 1 byte a second");
    if (!(link.latencySeconds <= kLongestLatency))
      return wrong(name + " has a latency above " + formatSeconds(kLongestLatency));
  }
  if (links.empty())
    return wrong("names no link");
  return links;
}

} // namespace windlass
