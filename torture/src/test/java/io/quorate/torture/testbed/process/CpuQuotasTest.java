package io.quorate.torture.testbed.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class CpuQuotasTest {
  @TempDir private Path data;

  @Test
  void aProcessHasItsOwnCgroupUntilTheQuotasAreClosed() throws Exception {
    assumeThat(CpuQuotas.obstacle()).isEmpty();
    try (ProcessCluster cluster =
        ProcessCluster.temporary(
            data,
            new Shape(1, 1, "raft"),
            UnaryOperator.identity(),
            node -> Launch.with(Map.of("cluster.replicas", "1")))) {
      cluster.start();
      NodeProcess node = cluster.nodes().get(0);
      String pid = Long.toString(node.handle().orElseThrow().pid());
      Path group = Path.of("/sys/fs/cgroup/cpu/quorate-" + pid);
      try (CpuQuotas quotas = new CpuQuotas()) {
        quotas.limit(node, CpuQuotas.UNLIMITED);
        assertThat(group).doesNotExist();

        quotas.limit(node, 20);
        assertThat(Files.readAllLines(group.resolve("cgroup.procs"))).containsExactly(pid);
        assertThat(group.resolve("cpu.cfs_quota_us")).content().isEqualToIgnoringNewLines("1000");
        assertThat(group.resolve("cpu.cfs_period_us")).content().isEqualToIgnoringNewLines("5000");

        quotas.limit(node, 10);
        assertThat(group.resolve("cpu.cfs_quota_us")).content().isEqualToIgnoringNewLines("1000");
        assertThat(group.resolve("cpu.cfs_period_us")).content().isEqualToIgnoringNewLines("10000");

        quotas.limit(node, CpuQuotas.UNLIMITED);
        assertThat(group.resolve("cpu.cfs_quota_us")).content().isEqualToIgnoringNewLines("-1");
      }
      assertThat(group).doesNotExist();
      assertThat(node.isAlive()).isTrue();
    }
  }
}
