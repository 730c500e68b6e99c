// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object files that a process leaves for later ones.

#include "test/compiler/codegen/KernelRunner.h"
#include "test/runtime/training/TemporaryFolder.h"

#include "runtime/base/File.h"

#include <filesystem>
#include <sys/stat.h>

using namespace windlass;
using namespace windlass::codegen::test;
using windlass::codegen::ObjectFolder;

namespace {

/// y = x * factor, on 8 elements.
std::string times(const std::string &factor) {
  return "func.func @k(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
         "  %r = graph.map ins(%x : tensor<8xf32>) maps [affine_map<(d0) -> (d0)>] -> tensor<8xf32> {\n"
         "  ^bb0(%a: f32):\n    %c = arith.constant " +
         factor +
         " : f32\n    %y = arith.mulf %a, %c : f32\n    graph.yield %y : f32\n  }\n"
         "  return %r : tensor<8xf32>\n}\n";
}

float resultOf(const Kernels &kernels) {
  Buffer<float> x(8), y(8);
  x.set(1);
  kernels.run("k", {x, y}, 0, 8);
  return y[0];
}

class ObjectFolderTest : public ::testing::Test {
protected:
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path))
      if (entry.path().extension() == "") // not the time of the last pruning
        all.push_back(entry.path());
    return all;
  }

  TemporaryFolder folder;
  ObjectFolder objects = *ObjectFolder::open(folder.path);
};

TEST_F(ObjectFolderTest, isWhatWasKeptWithAnEqualKey) {
  EXPECT_EQ(objects.find("a"), "");
  const std::string bytes("\0object\n", 8);
  objects.keep("a", bytes);
  objects.keep("b", "other");
  EXPECT_EQ(objects.find("a"), bytes);
  EXPECT_EQ(ObjectFolder::open(folder.path)->find("b"), "other");
  EXPECT_EQ(objects.find("ab"), "");
}

TEST_F(ObjectFolderTest, aFileThatIsNotWholeIsNotFoundAndIsReplaced) {
  objects.keep("a", "an object file");
  ASSERT_EQ(files().size(), 1u);
  for (size_t size : {40, 32, 31, 0}) {
    std::filesystem::resize_file(files().front(), size);
    EXPECT_EQ(objects.find("a"), "") << size;
  }
  objects.keep("a", "an object file");
  EXPECT_EQ(objects.find("a"), "an object file");
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(ObjectFolderTest, aCompilationLeavesItsObjectFileAndALaterOneTakesIt) {
  auto alone = compile(times("2.0")), first = compile(times("2.0"), "", {.folder = &objects});
  ASSERT_EQ(files().size(), 1u);
  auto second = compile(times("2.0"), "", {.folder = &objects});
  ASSERT_TRUE(alone && first && second);
  EXPECT_EQ(*readFile(first->path()), *readFile(alone->path()));
  EXPECT_EQ(*readFile(second->path()), *readFile(alone->path()));
  EXPECT_EQ(files().size(), 1u);
  // That the file is taken shows where it is another's.
  const std::string two = files().front();
  ASSERT_TRUE(compile(times("3.0"), "", {.folder = &objects}));
  ASSERT_EQ(files().size(), 2u);
  const std::string three = files()[files().front() == two];
  std::filesystem::copy_file(three, two, std::filesystem::copy_options::overwrite_existing);
  auto taken = compile(times("2.0"), "", {.folder = &objects});
  ASSERT_TRUE(taken);
  EXPECT_EQ(resultOf(*alone), 2);
  EXPECT_EQ(resultOf(*taken), 3);
}

TEST_F(ObjectFolderTest, anotherInstructionSetIsAnotherKey) {
  ASSERT_TRUE(compile(times("2.0"), "x86-64-v3", {.folder = &objects}));
  ASSERT_TRUE(compile(times("2.0"), "x86-64-v4", {.folder = &objects})); // compiled, not called
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(ObjectFolderTest, aFolderThatCannotBeMadeIsNamed) {
  const std::string file = folder / "file";
  ASSERT_TRUE(writeFileAtomically(file, "x"));
  const Result<ObjectFolder> opened = ObjectFolder::open(file + "/below");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.status().message(), file + "/below: the folder cannot be made: Not a directory");
  EXPECT_EQ(ObjectFolder::open(file).status().code(), ExitCode::BadInput);
}

TEST_F(ObjectFolderTest, aFullDiskKeepsNothingAndHarmsNothing) {
  const Result<ObjectFolder> full = ObjectFolder::open(folder / "gone");
  ASSERT_TRUE(full);
  std::filesystem::remove_all(folder / "gone");
  full->keep("a", "an object file");
  EXPECT_EQ(full->find("a"), "");
}

} // namespace
