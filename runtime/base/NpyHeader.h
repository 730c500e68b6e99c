// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NpyHeader.h - the header of a .npy file ===============================//
//
// Duty: type, order and shape of the array in a NumPy file of version 1.0 to 3.0.
// Format: "\x93NUMPY", two version bytes, the header's length (u16, from version
// 2 on u32), a Python dictionary of 'descr', 'fortran_order' and 'shape'.
// Errors: BadInput naming the file and what is wrong; hostile files never crash.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/DurableFile.h"
#include <string>
#include <vector>

namespace windlass {

struct NpyHeader {
  std::string type; ///< "<u2"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  int64_t dataBegin = 0; ///< bytes from the file's start
};

Result<NpyHeader> readNpyHeader(const File &file);

} // namespace windlass
