package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What an engine that offers {@link Leadership} must do. */
public abstract class LeadershipContract extends ContractFixture {
  @Test
  void leadershipGoesWhereItIsSent() throws IOException {
    start(3);
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(from))
            .findFirst()
            .orElseThrow();
    Leadership leadership = cluster.node(from).group().control(Leadership.class).orElseThrow();
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              leadership.transferTo(to, Duration.ofSeconds(5)).toCompletableFuture().join();
              return true;
            });
    await().atMost(PATIENCE).until(() -> cluster.node(to).group().view().serving());
    assertThatThrownBy(
            () -> leadership.transferTo(from, Duration.ofSeconds(1)).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Redirect.class);
    cluster.propose("y");
    assertThat(cluster.node(to).machine().commands()).containsExactly("x", "y");
  }
}
