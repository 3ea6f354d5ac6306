package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec.Activation;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.RecordingMachine;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One node leads many idle groups. */
class SharedHeartbeatsTest {
  private static final Failpoint OF_NODE = Failpoint.named("raft.node-heartbeat.received");
  private static final Failpoint OF_GROUP = Failpoint.named("raft.request.received");
  private static final int GROUPS = 12;
  private static final int FOLLOWERS = 2;

  private static final NodeId N1 = new NodeId("n1");

  @TempDir private Path directory;

  private final AtomicInteger ofNodes = new AtomicInteger();
  private final AtomicInteger ofGroups = new AtomicInteger();
  private final Map<NodeId, List<ConsensusGroup>> groups = new HashMap<>();
  private ContractCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings("raft", FastSettings.with(Map.of())),
            directory,
            3);
    cluster.startAll();
    for (NodeId node : cluster.running().keySet()) {
      groups.put(node, new ArrayList<>());
      for (int i = 0; i < GROUPS; i++) {
        GroupId group = new GroupId(cluster.spec().group().value() + 1 + i);
        groups.get(node).add(cluster.openAlso(node, group, Activation.ON_USE));
      }
    }
    for (int i = 0; i < GROUPS; i++) {
      leadAtN1(i);
    }
    OF_NODE.on((point, from) -> ofNodes.incrementAndGet());
    OF_GROUP.on((point, header) -> ofGroups.incrementAndGet());
  }

  @AfterEach
  void close() {
    OF_NODE.off();
    OF_GROUP.off();
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  private void leadAtN1(int number) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () -> {
              Optional<NodeId> leader = groups.get(N1).get(number).view().leader();
              if (leader.isPresent() && !leader.get().equals(N1)) {
                groups
                    .get(leader.get())
                    .get(number)
                    .control(Leadership.class)
                    .orElseThrow()
                    .transferTo(N1, Duration.ofSeconds(5))
                    .toCompletableFuture()
                    .join();
              }
              return groups.get(N1).get(number).view().serving();
            });
  }

  @Test
  void idleGroupsShareTheirHeartbeats() {
    awaitNodeHeartbeats(10);
    int before = ofGroups.get();
    int nodesBefore = ofNodes.get();
    awaitNodeHeartbeats(20);
    // The group of the fixture may have another leader, which sends heartbeats of its own.
    int ownAtMost = (ofNodes.get() - nodesBefore) * 2;
    assertThat(ofGroups.get() - before).isLessThan(ownAtMost).isLessThan(GROUPS * FOLLOWERS * 2);
    assertThat(groups.get(N1)).allMatch(group -> group.view().serving());
  }

  private void awaitNodeHeartbeats(int count) {
    int target = ofNodes.get() + count;
    await().atMost(PATIENCE).until(() -> ofNodes.get() >= target);
  }

  @Test
  void groupsElectOtherLeadersWhenTheNodeEnds() {
    awaitNodeHeartbeats(4);
    cluster.stop(N1);
    for (int i = 0; i < GROUPS; i++) {
      int number = i;
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  groups.entrySet().stream()
                      .filter(entry -> !entry.getKey().equals(N1))
                      .anyMatch(entry -> entry.getValue().get(number).view().serving()));
    }
  }

  @Test
  @Tag("slow")
  void groupsSendTheirOwnHeartbeatsToANodeThatDoesNotSupportShared() {
    awaitNodeHeartbeats(4);
    OF_NODE.on(
        (point, from) -> {
          ofNodes.incrementAndGet();
          throw new IOException("no such request");
        });
    awaitNodeHeartbeats(2);
    int target = ofGroups.get() + GROUPS * FOLLOWERS * 5;
    await().atMost(PATIENCE).until(() -> ofGroups.get() >= target);
    assertThat(groups.get(N1)).allMatch(group -> group.view().serving());
    for (ConsensusGroup group : groups.get(N1)) {
      assertThat(group.propose(new Command(RecordingMachine.utf8("x"))).toCompletableFuture())
          .succeedsWithin(PATIENCE);
    }
  }
}
