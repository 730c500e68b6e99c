// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/nccl/SimNccl.h"
#include "test/support/cuda/nccl/SimNcclCollectives.h"
#include "test/support/cuda/nccl/SimNcclGroups.h"
#include "test/support/cuda/nccl/SimNcclTransfers.h"
#include <cstdlib>

namespace windlass::test {

using cuda::NcclGroup;
using cuda::NcclResult;

namespace {

NcclResult version(int *number) {
  const char *said = std::getenv("WINDLASS_SIM_NCCL");
  *number = said ? std::atoi(said) : 22809;
  return cuda::kNcclSuccess;
}

const char *errorText(NcclResult result) {
  return result == cuda::kNcclRemoteError       ? "remote process exited or there was a network error"
         : result == cuda::kNcclInvalidUsage    ? "invalid usage"
         : result == cuda::kNcclSystemError     ? "unhandled system error"
         : result == cuda::kNcclInvalidArgument ? "invalid argument"
                                                : "no error";
}
const char *lastError(NcclGroup) { return ""; }

} // namespace

cuda::Nccl SimNccl::table() {
  cuda::Nccl functions;
  functions.version = version;
  functions.errorText = errorText;
  functions.lastError = lastError;
  functions.uniqueId = sim_nccl::uniqueId;
  functions.join = sim_nccl::join;
  functions.leave = sim_nccl::leave;
  functions.abort = sim_nccl::abort;
  functions.asyncError = sim_nccl::asyncError;
  functions.beginTogether = sim_nccl::beginTogether;
  functions.endTogether = sim_nccl::endTogether;
  functions.send = sim_nccl::send;
  functions.receive = sim_nccl::receive;
  functions.allGather = sim_nccl::allGather;
  functions.reduceScatter = sim_nccl::reduceScatter;
  functions.reduce = sim_nccl::reduce;
  return functions;
}

std::string SimNccl::leftovers() { return sim_nccl::leftovers(); }

int64_t SimNccl::collectives() { return sim_nccl::collectives(); }

int64_t SimNccl::sends() { return sim_nccl::sends(); }

} // namespace windlass::test
