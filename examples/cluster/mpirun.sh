#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Four processes on two hosts. Change: the hosts, the interface between them, the paths.
#   /shared   a file system that both hosts see: plan, data, --out
#   /nvme     a disk of each host's own
set -euo pipefail
exec mpirun -np 4 --host node1:2,node2:2 --bind-to none \
    --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
    windlass-run /shared/gpt2.plan --data /shared/corpus --out /shared/out --nvme-folder /nvme --interface eth0
