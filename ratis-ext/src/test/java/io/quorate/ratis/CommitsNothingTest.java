package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.contract.ContractCluster;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The followers respond to heartbeats, and acknowledge no entries. */
class CommitsNothingTest extends MembershipCase {
  private static final Failpoint BEFORE_ACKNOWLEDGEMENT =
      Failpoint.named("raft.append.before-acknowledgement");

  @AfterEach
  void acknowledge() {
    BEFORE_ACKNOWLEDGEMENT.off();
  }

  @Test
  void aLeaderThatCommitsNothingDoesNotServeAndSaysSo() {
    // It fails and does not block, because heartbeats are received on the same thread.
    BEFORE_ACKNOWLEDGEMENT.on(
        (point, group) -> {
          throw new IOException("The test acknowledges nothing.");
        });
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
