// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-run on machines without room on the disk, O_DIRECT, io_uring, locked memory or root. It runs
// without what it does not need, to the same bits, with a note of one line. Otherwise it ends with exit code
// 4.
#include "test/tools/windlass-run/RunTool.h"
#include <sstream>

namespace windlass::test {
namespace {

std::string notesOf(const ToolRun &run) {
  std::istringstream lines(run.error);
  std::string notes;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("note: "))
      notes += line.substr(6) + "\n";
  return notes;
}

TEST_F(RunTool, lesserMachinesGiveTheSameBitsAndSayWhatTheyLack) {
  const std::string
      pinned = "the limit of locked memory does not hold the pools of the disk: NVMe transfers use memory "
               "that is not registered\n",
      ring = "io_uring is refused: Operation not permitted: a thread pool is used\n";
  struct Case {
    const char *name, *limit, *lacks, *flags;
    std::string notes;
  };
  // Some kernels count a ring as locked memory of the user, and free it only after the process has ended.
  const std::string noMemory = "io_uring is refused: Cannot allocate memory: a thread pool is used\n";
  const bool mayPin =
      runTool(job(), "ulimit -l 65536").code == 0; // a user who is not root may not ask for so much
  const Case cases[] = {
      {"nobody", "ulimit -l 65536; ", "nobody", "", mayPin ? "" : pinned},
      {"unlocked", "ulimit -l 64; ", "nobody", "", pinned},
      {"unregistered", "ulimit -l 65536; ", "nobody no-registration", "", pinned},
      {"ringless", "", "nobody no-io_uring", "--unregistered-nvme", ring},
      {"buffered", "", "nobody no-direct", "--unregistered-nvme",
       "scratch folder 'buffered' refuses O_DIRECT: reads and writes go through the page cache\n"},
      {"bare", "ulimit -l 64; ", "nobody no-io_uring no-direct", "", "(all three)"},
      {"withoutPins", "", "nobody", "--unregistered-nvme", ""},
      {"withThreads", "", "nobody", "--nvme-engine threads", ""},
      {"withoutDirect", "", "nobody", "--buffered-nvme --unregistered-nvme", ""},
      {"withNothing", "", "nobody", "--nvme-engine threads --buffered-nvme --unregistered-nvme", ""},
  };
  ASSERT_EQ(run("the.plan --data synthetic --steps 2 --quiet --out usual").code, 0);
  std::filesystem::permissions(job(), std::filesystem::perms::all);
  for (const Case &lesser : cases) {
    SCOPED_TRACE(lesser.name);
    const ToolRun ran =
        runTool(job(), std::string(lesser.limit) + WINDLASS_LESSER_MACHINE " " + lesser.lacks +
                           " -- " WINDLASS_RUN " the.plan --data synthetic --steps 2 --quiet --out " +
                           lesser.name + " " + lesser.flags);
    ASSERT_EQ(ran.code, 0) << ran.error;
    const std::string notes = notesOf(ran);
    if (lesser.notes != "(all three)")
      EXPECT_EQ(notes, lesser.notes + (notes.ends_with(noMemory) ? noMemory : ""));
    else
      for (const std::string &part : {pinned, ring, std::string("refuses O_DIRECT")})
        EXPECT_NE(notes.find(part), std::string::npos) << part << " is not said:\n" << notes;
    expectSameCheckpoints(lesser.name, "usual", 2);
  }
}

TEST_F(RunTool, whatCannotBeDoneWithoutEndsTheRun) {
  struct Case {
    const char *lacks, *flags;
    int code;
    const char *part;
  };
  const Case cases[] = {
      {"no-io_uring", "--nvme-engine io_uring", 4, "io_uring is refused: Operation not permitted"},
      {"no-room", "", 4, "bytes cannot be reserved: No space left on device"},
      {"no-room", "--dry-run", 4, "bytes cannot be reserved: No space left on device"},
      {"broken-disk", "", 4, "cannot be moved: Input/output error"},
      {"full-disk", "", 4, "cannot be moved: No space left on device"},
      {"no-threads", "", 4, "cannot be started: Resource temporarily unavailable"},
      {"no-threads", "--nvme-engine threads", 4, "cannot be started: Resource temporarily unavailable"},
  };
  for (const Case &lesser : cases) {
    SCOPED_TRACE(std::string(lesser.lacks) + " " + lesser.flags);
    expectRefusal(runLesser(std::string("nobody ") + lesser.lacks,
                            std::string("the.plan --data synthetic --quiet ") + lesser.flags),
                  lesser.code, lesser.part);
    EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
  }
}

/// The disk has room for the scratch file, but not for the largest file of a checkpoint.
TEST_F(RunTool, aFullDiskEndsTheRunAndKeepsTheLastCheckpoint) {
  ASSERT_EQ(run("the.plan --data synthetic --quiet --steps 2").code, 0);
  const std::string more = "the.plan --data synthetic --quiet --steps 4";
  const ToolRun grown = runTool(job(), "trap '' XFSZ; ulimit -f 1040; " WINDLASS_RUN " " + more);
  const ToolRun full = runTool(job(), WINDLASS_LESSER_MACHINE " little-room -- " WINDLASS_RUN " " + more);
  for (const auto &[failed, reason] :
       {std::pair(grown, "File too large"), {full, "No space left on device"}}) {
    expectRefusal(failed, 4, "checkpoint of step 4: out/checkpoints/.unfinished-step-00000004/");
    EXPECT_NE(failed.error.find(reason), std::string::npos) << failed.error;
    EXPECT_EQ(namesIn(job() + "/out/checkpoints"), "latest step-00000002");
  }
  EXPECT_EQ(run(more).code, 0);
}

/// --out has a disk of its own, which only some machines let a test mount.
TEST_F(RunTool, roomForCheckpointsIsCountedBeforeTheFirstStep) {
  auto runOnDisk = [&](const std::string &size, const std::string &flags) {
    return runTool(job(), "mkdir -p disk; exec unshare -rm sh -c 'mount -t tmpfs -o size=" + size +
                              " tmpfs disk || exit 125; " WINDLASS_RUN
                              " the.plan --data synthetic --quiet --out disk/out --nvme-folder . " +
                              flags + "'");
  };
  const ToolRun none = runOnDisk("512k", "");
  if (none.code == 125 || none.error.starts_with("unshare"))
    GTEST_SKIP() << none.error;
  expectRefusal(none, 4, "disk/out: a checkpoint takes ");
  const ToolRun tight = runOnDisk("1536k", "--dry-run");
  EXPECT_EQ(tight.code, 0) << tight.error;
  EXPECT_NE(tight.error.find("note: disk/out: 1.50 MiB are free, which hold 1 of the 3 checkpoints of"),
            std::string::npos)
      << tight.error;
  const ToolRun enough = runOnDisk("1536k", "--dry-run --checkpoint-every 0");
  EXPECT_EQ(enough.error.find("are free"), std::string::npos) << enough.error;
  const ToolRun unsaved = runOnDisk("512k", "--no-checkpoint --steps 2 && ls disk/out");
  EXPECT_EQ(unsaved.code, 0) << unsaved.error;
  EXPECT_TRUE(unsaved.out.ends_with("metrics.jsonl\n")) << unsaved.out;
}

TEST_F(RunTool, aScratchFolderWithoutRoomIsFoundBeforeTheFirstStep) {
  const ToolRun full =
      runTool(job(), "trap '' XFSZ; ulimit -f 64; " WINDLASS_RUN " the.plan --data synthetic");
  expectRefusal(full, 4, "bytes cannot be reserved: File too large");
  EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
}

} // namespace
} // namespace windlass::test
