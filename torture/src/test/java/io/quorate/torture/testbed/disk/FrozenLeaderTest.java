package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Ports;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.server.localcluster.WriteLedger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes; the file system of the leader is frozen, and the others continue. */
@Timeout(300)
class FrozenLeaderTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Three processes start at once, which has taken more than a minute beside other builds. */
  private static final Duration START_TIMEOUT = Duration.ofSeconds(180);

  private static final Duration FROZEN_MAX = Duration.ofSeconds(60);
  private static final int WRITERS = 32;
  private static final int PROGRESS = 300;

  @TempDir private Path directory;

  @Test
  @Tag("slow")
  void theOthersAcceptWritesWhileTheLeadersDiskIsFrozen() throws IOException {
    assertTheOthersAcceptWrites("raft");
  }

  @Test
  @Tag("slow")
  void theOthersAlsoAcceptWritesIfWritesAreAcknowledgedAtCommit() throws IOException {
    assertTheOthersAcceptWrites("buc");
  }

  private void assertTheOthersAcceptWrites(String preset) throws IOException {
    Disks.obstacle().ifPresent(reason -> Assumptions.abort("No disks here: " + reason));
    ClusterPlan plan =
        ClusterPlan.of(directory, "frozen", new Shape(3, 1, preset), new Ports.Free());
    try (Disks disks = Disks.of(plan);
        ProcessCluster cluster = ProcessCluster.of(plan)) {
      cluster.start();
      cluster.awaitServing(START_TIMEOUT);
      try (AsyncQuorateClient client =
          AsyncQuorateClient.open(ClientOptions.of(plan.clientAddresses()))) {
        WriteLedger ledger = new WriteLedger(client);
        ledger.start(WRITERS);
        awaitProgress(ledger);
        NodeDisk disk = disks.of(leader(client));

        disk.stall(FROZEN_MAX);
        long frozenNanos = System.nanoTime();
        awaitProgress(ledger);
        System.out.printf(
            "%s: %d writes were acknowledged within %d ms of a frozen disk, %d are undecided%n",
            preset,
            PROGRESS,
            Duration.ofNanos(System.nanoTime() - frozenNanos).toMillis(),
            ledger.undecided());
        assertThat(disk.isStalling()).as("the disk is still frozen").isTrue();

        disk.thaw();
        cluster.awaitServing(START_TIMEOUT);
        awaitProgress(ledger);
        ledger.stop();
        assertThat(ledger.violations()).isEmpty();
      }
    }
  }

  /** Returns the leader of the data region, as any node reports it. */
  private static NodeId leader(AsyncQuorateClient client) {
    return await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().join().nodes().stream()
                    .flatMap(node -> node.state().stream())
                    .flatMap(state -> state.replicas().stream())
                    .map(ReplicaState::region)
                    .filter(region -> region.id().value() == 1)
                    .flatMap(region -> region.leader().stream())
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private static void awaitProgress(WriteLedger ledger) {
    long enough = ledger.acknowledged() + PROGRESS;
    await("acknowledged writes")
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(5))
        .untilAsserted(
            () ->
                assertThat(ledger.acknowledged())
                    .as("acknowledged writes; failed: %s", ledger.failures())
                    .isGreaterThanOrEqualTo(enough));
  }
}
