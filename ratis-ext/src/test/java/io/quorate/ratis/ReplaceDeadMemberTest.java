package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A dead member is replaced by one that ends for good between the two changes. */
class ReplaceDeadMemberTest extends MembershipCase {
  @AfterEach
  void off() {
    RaftPoints.BEFORE_CHANGE.off();
  }

  /**
   * Two of three healthy members are a majority throughout. If the new member had been added first,
   * three of four would be needed: for writes, for an election, and to remove it again.
   */
  @Test
  void theOthersGoOnAlthoughTheNewMemberEndsBeforeItIsCounted() throws IOException {
    NodeId dead = without(leader).get(1).node();
    cluster.stop(dead);
    awaitSilence(dead);
    Member joiner = cluster.startJoiner("n4");
    List<Member> next = new ArrayList<>(without(dead));
    next.add(joiner);
    AtomicInteger changes = new AtomicInteger();
    RaftPoints.BEFORE_CHANGE.on(
        (point, group) -> {
          if (changes.incrementAndGet() == 2) {
            cluster.stop(joiner.node());
          }
        });
    CompletableFuture<Void> change = change(leader, next);
    await().atMost(PATIENCE).until(() -> changes.get() >= 2);
    assertThat(cluster.propose("without both").position()).isNotNull();
    assertThat(configurations(leader).get(configurations(leader).size() - 1))
        .isEqualTo(peers(without(dead)));
    await().atMost(PATIENCE).until(change::isDone);
    RaftPoints.BEFORE_CHANGE.off();
    changeUntilDone(without(dead));
    assertThat(cluster.propose("later").position()).isNotNull();
  }

  private void awaitSilence(NodeId dead) {
    long timeoutMillis =
        RatisSettings.from(new EngineSettings("raft", FastSettings.with(Map.of())))
            .followerTimeout()
            .toMillis();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                division(leader)
                    .getInfo()
                    .getRoleInfoProto()
                    .getLeaderInfo()
                    .getFollowerInfoList()
                    .stream()
                    .filter(info -> info.getId().getId().toStringUtf8().equals(dead.value()))
                    .mapToLong(ServerRpcProto::getLastRpcElapsedTimeMs)
                    .anyMatch(silent -> silent > timeoutMillis));
  }
}
