package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Leadership;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The contract of an engine that offers {@link Leadership}. */
public abstract class LeadershipContract extends ContractFixture {
  @Test
  void leadershipIsTransferredToTheTarget() throws IOException {
    useShared();
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(from))
            .findFirst()
            .orElseThrow();
    Leadership leadership = cluster.node(from).group().control(Leadership.class).orElseThrow();
    // A transfer that is reported as failed may have succeeded.
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                cluster.node(to).group().view().serving()
                    || transferred(leadership.transferTo(to, Duration.ofSeconds(5))));
    await().atMost(PATIENCE).until(() -> cluster.node(to).group().view().serving());
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThatThrownBy(
                        () ->
                            leadership
                                .transferTo(from, Duration.ofSeconds(1))
                                .toCompletableFuture()
                                .join())
                    .hasCauseInstanceOf(ConsensusException.Redirect.class));
    ContractCluster.awaitApplied(cluster.node(to), cluster.propose("y").position());
    assertThat(commands(cluster.node(to))).containsExactly("x", "y");
  }

  private static boolean transferred(CompletionStage<Void> transfer) {
    return transfer.handle((done, failure) -> failure == null).toCompletableFuture().join();
  }
}
