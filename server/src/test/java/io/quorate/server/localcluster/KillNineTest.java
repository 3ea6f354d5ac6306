package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, killed (SIGKILL) while clients write: no acknowledged write is lost. */
@Timeout(400)
class KillNineTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final int WRITERS = 16;
  private static final int PROGRESS = 300;

  @TempDir private Path directory;

  @Test
  @Tag("slow")
  void noAcknowledgedWriteIsLostWhenNodesAreKilled() throws IOException {
    assertNoAcknowledgedWriteIsLost("buc");
  }

  @Test
  @Tag("slow")
  void noAcknowledgedWriteIsLostWithoutLeaders() throws IOException {
    assertNoAcknowledgedWriteIsLost("acqr");
  }

  private void assertNoAcknowledgedWriteIsLost(String preset) throws IOException {
    try (ProcessCluster cluster = ProcessCluster.temporary(directory, new Shape(3, 2, preset))) {
      cluster.start();
      cluster.awaitServing(TIMEOUT);
      try (AsyncQuorateClient client =
          AsyncQuorateClient.open(ClientOptions.of(cluster.plan().clientAddresses()))) {
        WriteLedger ledger = new WriteLedger(client);
        ledger.start(WRITERS);
        for (NodeProcess node : cluster.nodes()) {
          awaitProgress(ledger);
          node.kill();
          awaitProgress(ledger);
          node.start();
          cluster.awaitServing(TIMEOUT);
          assertThat(ledger.violations()).isEmpty();
        }

        awaitProgress(ledger);
        cluster.nodes().forEach(NodeProcess::kill);
        cluster.start();
        cluster.awaitServing(TIMEOUT);
        assertThat(ledger.violations()).isEmpty();

        awaitProgress(ledger);
        ledger.stop();
        assertThat(ledger.violations()).isEmpty();
        assertThat(ledger.closed()).hasSizeGreaterThan(WRITERS);
      }
    }
  }

  @Test
  void theLedgerDetectsLostAndUnexpectedWrites() {
    byte[] key = {1};
    WriteLedger.Account decided = new WriteLedger.Account(key, 3, false);
    WriteLedger.Account undecided = new WriteLedger.Account(key, 3, true);

    assertThat(decided.allows(count(3))).isTrue();
    assertThat(decided.allows(count(2))).isFalse();
    assertThat(decided.allows(count(4))).isFalse();
    assertThat(decided.allows(Optional.empty())).isFalse();
    assertThat(undecided.allows(count(3))).isTrue();
    assertThat(undecided.allows(count(4))).isTrue();
    assertThat(undecided.allows(count(2))).isFalse();
    assertThat(undecided.allows(count(5))).isFalse();
  }

  private static Optional<byte[]> count(int number) {
    return Optional.of(Integer.toString(number).getBytes(StandardCharsets.UTF_8));
  }

  private static void awaitProgress(WriteLedger ledger) {
    long target = ledger.acknowledged() + PROGRESS;
    await("acknowledged writes").atMost(TIMEOUT).until(() -> ledger.acknowledged() >= target);
  }
}
