package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec.Activation;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.RecordingMachine;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups that are not in use stop, and start again when they are used. */
class HibernationTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  @TempDir private Path directory;

  private ContractCluster cluster;

  private void start(int runningMin) throws IOException {
    start(runningMin, 256);
  }

  private void start(int runningMin, int runningMax) throws IOException {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings(
                "raft",
                FastSettings.with(
                    Map.of(
                        "hibernate-after",
                        "500ms",
                        "groups-running-min",
                        Integer.toString(runningMin),
                        "groups-running-max",
                        Integer.toString(runningMax)))),
            directory,
            3);
    cluster.hibernate().startAll();
  }

  @AfterEach
  void close() {
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  private boolean hibernates(NodeId node) {
    return cluster.node(node).group().view().hibernating();
  }

  private void awaitAllHibernate() {
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.running().keySet().stream().allMatch(this::hibernates));
  }

  /** Proposes a command at one node after the other until one executes it. */
  private void use(List<ConsensusGroup> replicas, String command) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () -> {
              for (ConsensusGroup replica : replicas) {
                if (isExecuted(replica, command)) {
                  return true;
                }
              }
              return false;
            });
  }

  private static boolean isExecuted(ConsensusGroup replica, String command) {
    try {
      replica.propose(new Command(RecordingMachine.utf8(command))).toCompletableFuture().join();
      return true;
    } catch (CompletionException e) {
      return false;
    }
  }

  private List<ConsensusGroup> replicas() {
    return cluster.running().values().stream().map(ContractCluster.Node::group).toList();
  }

  private void awaitCommands(String... commands) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(cluster.running().values())
                    .allSatisfy(
                        node -> assertThat(node.machine().commands()).containsExactly(commands)));
  }

  @Test
  void anIdleGroupHibernatesAtEveryMemberAndAWriteWakesIt() throws IOException {
    start(0);
    use(replicas(), "a");
    awaitAllHibernate();
    use(replicas(), "b");
    awaitCommands("a", "b");
    awaitAllHibernate();
  }

  @Test
  void aReadWakesAGroup() throws IOException {
    start(0);
    use(replicas(), "a");
    awaitAllHibernate();
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () -> {
              for (ConsensusGroup replica : replicas()) {
                if (replica.view().serving()) {
                  return replica
                          .readIndex(Guarantee.LINEARIZABLE, KeyScope.range(KeyRange.ALL))
                          .toCompletableFuture()
                          .join()
                          .index()
                      > 0;
                }
                replica.readIndex(Guarantee.LINEARIZABLE, KeyScope.range(KeyRange.ALL));
              }
              return false;
            });
  }

  @Test
  void aTransferOfLeadershipWakesAGroup() throws IOException {
    start(0);
    use(replicas(), "a");
    awaitAllHibernate();
    assertThat(
            cluster
                .node(N1)
                .group()
                .control(Leadership.class)
                .orElseThrow()
                .transferTo(N2, Duration.ofSeconds(1)))
        .isCompletedExceptionally();
    await().atMost(PATIENCE).until(() -> !hibernates(N1) && !hibernates(N2) && !hibernates(N3));
  }

  @Test
  void aGroupThatHibernatedDoesNotStartWithTheNodeAndAWriteWakesIt() throws IOException {
    start(0);
    use(replicas(), "a");
    awaitAllHibernate();
    cluster.stop(List.of(N1, N2, N3));
    cluster.startStopped();
    assertThat(cluster.running().keySet()).allMatch(this::hibernates);
    use(replicas(), "b");
    awaitCommands("a", "b");
  }

  /** All have hibernated with "a" when N3 ends, and the others write "b". */
  private void startAndWriteBesideOneThatIsDown() throws IOException {
    start(0);
    use(replicas(), "a");
    awaitAllHibernate();
    cluster.stop(N3);
    use(replicas(), "b");
  }

  /** N3 hibernated when it ended, and so does not start its replica with the node. */
  @Test
  void aMemberThatIsDownKeepsNoGroupRunningAndReceivesWhatItLacksWhenItIsBack() throws IOException {
    startAndWriteBesideOneThatIsDown();
    awaitAllHibernate();
    cluster.startStopped();
    awaitCommands("a", "b");
    awaitAllHibernate();
  }

  @Test
  @Tag("slow")
  void whichMembersAreBehindIsKnownAfterARestart() throws IOException {
    startAndWriteBesideOneThatIsDown();
    awaitAllHibernate();
    cluster.stop(List.of(N1, N2));
    cluster.startStopped();
    awaitCommands("a", "b");
    awaitAllHibernate();
  }

  @Test
  @Tag("slow")
  void aGroupMakesRoomOnAFullNodeWhileAMemberIsDown() throws IOException {
    start(0, 1);
    use(replicas(), "a");
    List<ConsensusGroup> others = new ArrayList<>();
    for (NodeId node : cluster.running().keySet()) {
      others.add(cluster.openAlso(node, new GroupId(2), Activation.ON_USE));
    }
    cluster.stop(N3);
    for (int i = 0; i < 2; i++) {
      use(others.subList(0, 2), "b" + i);
      use(replicas(), "a" + i);
    }
    assertThat(others.subList(0, 2)).allMatch(each -> each.view().hibernating());
  }

  @Test
  void replicasThatMayLackEntriesStartUnusedWhenThereIsRoom() throws IOException {
    start(0, 1);
    use(replicas(), "a");
    List<ConsensusGroup> opened = new ArrayList<>();
    for (NodeId node : cluster.running().keySet()) {
      opened.add(cluster.openAlso(node, new GroupId(2), Activation.ON_OPEN));
    }
    assertThat(opened).allMatch(each -> each.view().hibernating());
    await().atMost(PATIENCE).until(() -> opened.stream().anyMatch(each -> each.view().serving()));
    await()
        .atMost(PATIENCE)
        .until(() -> opened.stream().allMatch(each -> each.view().hibernating()));
  }

  /** The leader with which a group hibernated is lost, and with it what the leader recorded. */
  @Test
  void everyMemberKnowsWhichOthersAreBehind() throws IOException {
    startAndWriteBesideOneThatIsDown();
    NodeId leader =
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    cluster.running().keySet().stream()
                        .filter(node -> cluster.node(node).group().view().serving())
                        .findFirst(),
                Optional::isPresent)
            .orElseThrow();
    awaitAllHibernate();
    cluster.stop(leader);
    cluster.start(N3);
    awaitCommands("a", "b");
  }

  @Test
  void newGroupsBeyondTheMinimumDoNotStartAndAWriteWakesThem() throws IOException {
    start(1);
    use(replicas(), "a");
    List<ConsensusGroup> opened = new ArrayList<>();
    for (NodeId node : cluster.running().keySet()) {
      opened.add(cluster.openAlso(node, new GroupId(2), Activation.ON_USE));
    }
    assertThat(opened).allMatch(each -> each.view().hibernating());
    use(opened, "b");
    await()
        .atMost(PATIENCE)
        .until(() -> opened.stream().noneMatch(each -> each.view().hibernating()));
  }
}
