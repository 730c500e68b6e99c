// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes of bytes and of files against known values.
#include "runtime/base/Hash.h"
#include "runtime/base/File.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace windlass;

namespace {

TEST(Hash, AgreesWithThePublishedAlgorithm) {
  // XXH3-128 of an empty input with seed 0, as xxhsum -H2 prints it.
  EXPECT_EQ(hashOfBytes(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(hashOfBytes("a"), hashOfBytes("b"));
}

TEST(Hash, OfAFileIsThatOfItsBytes) {
  std::string path =
      (std::filesystem::temp_directory_path() / ("windlass-hash-" + std::to_string(::getpid()))).string();
  for (size_t size : {0, 1, 100000, 4 << 20, (9 << 20) + 5}) { // a file is hashed 4 MiB at a time
    std::string bytes(size, 'w');
    if (size > 0)
      bytes[size / 2] = bytes.back() = 'v';
    ASSERT_TRUE(writeFileAtomically(path, bytes).isOk());
    EXPECT_EQ(*hashOfFile(path), hashOfBytes(bytes)) << size;
  }
  std::filesystem::remove(path);
  EXPECT_EQ(hashOfFile(path).status().message(), path + ": cannot open: No such file or directory");
}

} // namespace
