package io.quorate.server.cli.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.common.LoopbackPorts;
import io.quorate.server.cli.CliRun;
import org.junit.jupiter.api.Test;

/** Addresses of the command line at which there is no node of the cluster any more. */
class FormerAddressTest {
  @Test
  void itIsNoProblemOfTheCluster() {
    try (FakeCluster cluster = FakeCluster.start(3)) {
      String at = "--at=" + cluster.addresses() + ",127.0.0.1:" + LoopbackPorts.next();
      CliRun status =
          await()
              .until(() -> CliRun.of("status", at), run -> !run.out().contains("no node responds"));
      assertThat(status.out()).startsWith("HEALTHY\n");
      assertThat(CliRun.of("status", at, "--check").exitCode()).isZero();
    }
  }
}
