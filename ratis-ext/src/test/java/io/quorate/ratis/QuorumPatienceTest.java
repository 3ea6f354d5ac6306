package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A quorum read that does not complete in time falls back to the leader (L5). */
class QuorumPatienceTest {
  private static final KeyScope KEY = KeyScope.key(Key.utf8("k"));

  @TempDir Path directory;

  /** The replica does not reach the barrier, as if an entry in no other log had raised it. */
  @Test
  void aReadWhoseBarrierIsNotReachedFallsBackToTheLeader() throws IOException {
    EngineSettings settings =
        new EngineSettings(
            "engine", FastSettings.with(Map.of("quorum-patience", "50ms", "read-timeout", "20s")));
    try (ContractCluster cluster =
        new ContractCluster(new RatisEngineProvider(), settings, directory, 3).startAll()) {
      cluster.propose("first");
      NodeId leader = cluster.awaitServingId();
      Node reader =
          cluster.running().entrySet().stream()
              .filter(entry -> !entry.getKey().equals(leader))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElseThrow();
      await()
          .atMost(ContractCluster.PATIENCE)
          .ignoreExceptions()
          .until(() -> readIndex(reader, QuorumRule.BARRIER).join() != null);

      CompletableFuture<Void> capacity = reader.machine().exhaustCapacity();
      cluster.propose("a");
      Position written = cluster.propose("k").position();
      for (QuorumRule rule : new QuorumRule[] {QuorumRule.BARRIER, QuorumRule.RETRY}) {
        Position position = readIndex(reader, rule).join();
        assertThat(position.covers(written)).as("%s by %s", position, rule).isTrue();
      }
      capacity.complete(null);
    }
  }

  private static CompletableFuture<Position> readIndex(Node node, QuorumRule rule) {
    return node.group()
        .control(QuorumReads.class)
        .orElseThrow()
        .readIndex(KEY, rule)
        .toCompletableFuture();
  }
}
