// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/PaceText.h"

#include "runtime/base/DiskBlock.h"
#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include <array>
#include <filesystem>
#include <sstream>

namespace windlass {
namespace {

using nlohmann::json;
using plan::Lane;

/// Where a link's figures stand in a hardware file.
struct LinkKeys {
  Lane lane;
  const char *rate, *latency; ///< JSON pointers
  const char *measured;       ///< key in "measured"
  bool perDevice;
};
constexpr std::array<LinkKeys, 5> kLinks = {{
    {Lane::NcIn, "/nvme/read", "/nvme/latency", "nvme.read", false},
    {Lane::NcOut, "/nvme/write", "/nvme/latency", "nvme.write", false},
    {Lane::CgIn, "/links/cg/in", "/links/cg/latency", "links.cg.in", true},
    {Lane::CgOut, "/links/cg/out", "/links/cg/latency", "links.cg.out", true},
    {Lane::Gg, "/links/gg/bandwidth", "/links/gg/latency", "links.gg.bandwidth", true},
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

/// Seconds that every request to the disk takes beside its bytes.
Result<double> requestSeconds(const json &machine, const json &measured) {
  const json::json_pointer at("/nvme/request_time");
  const json given = machine.contains(at) ? machine.at(at) : json(0);
  return quantity(measured.is_object() ? measured.value("nvme.request_time", given) : given, parseSeconds);
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
  const json measured = machine->value("measured", json::object());
  const Result<double> request = requestSeconds(*machine, measured);
  if (!request)
    return request.status().in(path + ": nvme.request_time");
  std::vector<PacedLink> links;
  for (const LinkKeys &keys : kLinks) {
    const json::json_pointer rateAt(keys.rate), latencyAt(keys.latency);
    const json given = machine->contains(rateAt) ? machine->at(rateAt) : json();
    const json rate = measured.is_object() ? measured.value(keys.measured, given) : given;
    if (rate.is_null())
      continue;
    Result<double> perSecond = quantity(rate, parseByteRate);
    Result<double> latency =
        machine->contains(latencyAt) ? quantity(machine->at(latencyAt), parseSeconds) : 0.0;
    if (!perSecond || !latency)
      return (!perSecond ? perSecond : latency).status().in(path + ": " + keys.measured);
    const bool isDisk = keys.lane == Lane::NcIn || keys.lane == Lane::NcOut;
    const double rateOfOne = isDisk ? withRequests(*perSecond, *request) : *perSecond;
    links.push_back({keys.lane, rateOfOne * static_cast<double>(keys.perDevice ? ranks : 1), *latency});
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
