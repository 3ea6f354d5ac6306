package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.contract.ContractCluster;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The followers respond to heartbeats, and acknowledge no entries. */
class CommitsNothingTest extends MembershipCase {
  private static final Failpoint BEFORE_ACKNOWLEDGEMENT =
      Failpoint.named("raft.append.before-acknowledgement");

  private final CompletableFuture<Void> gate = new CompletableFuture<>();

  @AfterEach
  void acknowledge() {
    BEFORE_ACKNOWLEDGEMENT.off();
    gate.complete(null);
  }

  @Test
  void aLeaderThatCommitsNothingDoesNotServeAndSaysSo() {
    BEFORE_ACKNOWLEDGEMENT.on((point, group) -> gate.join());
    ContractCluster.proposeAt(cluster.node(leader), "waits");
    await().atMost(PATIENCE).until(() -> cluster.node(leader).group().view().problem().isPresent());
    GroupStatus view = cluster.node(leader).group().view();
    assertThat(view.problem().orElseThrow())
        .startsWith("leads, and has committed nothing for 10 s");
    assertThat(view.serving()).isFalse();
    acknowledge();
    assertThat(cluster.propose("later").position()).isNotNull();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                cluster.running().values().stream()
                    .allMatch(node -> node.group().view().problem().isEmpty()));
  }
}
