package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes halt between two steps of a split, a merge, or a move of a replica, while clients write:
 * the change is completed by whichever node continues it, and no acknowledged write is lost. With
 * all failpoints the change is made twice at each, the second time with the node spared that halted
 * first; without leaders, and with a few failpoints at random, once.
 */
@Tag("slow")
@Timeout(900)
class CrashWhileRegionsChangeTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int SAMPLE = 1;

  /** How many failpoints are tried, at most. */
  private static final int FAILPOINTS = Integer.getInteger("failpoints", SAMPLE);

  private static final int WRITERS = 8;
  private static final int PROGRESS = 50;
  private static final GroupId REGION = new GroupId(1);

  private static final List<String> OF_EACH_CHANGE =
      List.of(
          "server.topology.before-replace",
          "server.topology.replaced",
          "server.replica.recorded",
          "server.plan.carried-out");

  private static final String OPENED = "server.replica.opened";

  private static final List<String> OF_SPLITS =
      List.of("storage.split.sessions-copied", "storage.split.written", OPENED);

  private static final List<String> OF_MERGES =
      List.of("storage.merge.frozen", "storage.merge.taken-over", "storage.merge.written");

  private static final List<String> OF_REMOVALS =
      List.of(
          "server.replica.withdrawn", "server.replica.log-removed", "server.replica.rows-removed");

  private static final Map<String, List<String>> OF_MEMBERS =
      Map.of(
          "raft",
          List.of(
              "raft.members.before-change",
              "raft.members.joint-committed",
              "raft.members.committed",
              "raft.members.changed"),
          "acqr",
          List.of("rabia.members.caught-up", "rabia.members.decided", "rabia.members.changed"));

  private static final List<String> OF_ELECTIONS = List.of("raft.vote.before-reply");

  @TempDir private Path directory;

  /** The failpoints at which a node has halted. */
  private final Set<String> reached = new TreeSet<>();

  private ProcessCluster cluster;
  private QuorateClient client;
  private AsyncQuorateClient writer;
  private WriteLedger ledger;

  @AfterEach
  void close() {
    ledger.stop();
    client.close();
    writer.close();
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void regionsSplit(String preset) throws IOException {
    List<String> failpoints = new ArrayList<>(OF_EACH_CHANGE);
    failpoints.addAll(OF_SPLITS);
    if (preset.equals("raft")) {
      failpoints.addAll(OF_ELECTIONS);
    }
    failpoints = some(failpoints);
    start(preset, failpoints);
    int splits = 0;
    for (String failpoint : failpoints) {
      Set<NodeId> spared = Set.of();
      for (int round = 0; round < rounds(preset); round++) {
        // The ledger's keys begin with ASCII characters.
        byte[] at = {(byte) (4 + 4 * splits++)};
        spared =
            change(
                failpoint,
                spared,
                () -> client.splitRegion(at),
                status -> begins(status, Key.wrap(at)));
      }
    }
    assertNothingIsLost(failpoints);
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void regionsMerge(String preset) throws IOException {
    List<String> failpoints = new ArrayList<>(OF_EACH_CHANGE);
    failpoints.addAll(OF_MERGES);
    failpoints.addAll(OF_REMOVALS);
    failpoints = some(failpoints);
    start(preset, failpoints);
    // Few of the ledger's keys, so that the region is small enough.
    byte[] at = {120};
    split(new byte[] {124});
    for (String failpoint : failpoints) {
      Set<NodeId> spared = Set.of();
      for (int round = 0; round < rounds(preset); round++) {
        split(at);
        spared =
            change(
                failpoint,
                spared,
                () -> client.mergeRegion(at),
                status -> isComplete(status) && !begins(status, Key.wrap(at)));
      }
    }
    assertNothingIsLost(failpoints);
  }

  private void split(byte[] at) {
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              attempt(() -> client.splitRegion(at));
              ClusterStatus status = client.status();
              return isComplete(status) && begins(status, Key.wrap(at));
            });
  }

  /** Whether all nodes respond, and none knows a plan. */
  private static boolean isComplete(ClusterStatus status) {
    return status.nodes().stream()
        .allMatch(
            node ->
                node.isUp() && node.state().filter(state -> state.plans().isEmpty()).isPresent());
  }

  private static List<String> some(List<String> failpoints) {
    if (failpoints.size() <= FAILPOINTS) {
      return failpoints;
    }
    long seed = System.nanoTime();
    List<String> shuffled = new ArrayList<>(failpoints);
    Collections.shuffle(shuffled, new Random(seed));
    List<String> chosen = shuffled.subList(0, FAILPOINTS);
    System.out.println("Failpoints of seed " + seed + ": " + chosen);
    return chosen;
  }

  private static int rounds(String preset) {
    return preset.equals("raft") && FAILPOINTS > SAMPLE ? 2 : 1;
  }

  private static boolean begins(ClusterStatus status, Key at) {
    return replicas(status)
        .anyMatch(replica -> replica.serving() && replica.region().range().start().equals(at));
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void replicasMove(String preset) throws IOException {
    List<String> failpoints = new ArrayList<>(OF_EACH_CHANGE);
    failpoints.add(OPENED);
    failpoints.addAll(OF_REMOVALS);
    failpoints.addAll(OF_MEMBERS.get(preset));
    failpoints = some(failpoints);
    start(preset, failpoints);
    for (String failpoint : failpoints) {
      Set<NodeId> spared = Set.of();
      for (int round = 0; round < rounds(preset); round++) {
        NodeId to = nodesWithReplica(false).get(0);
        NodeId from = nodesWithReplica(true).get(round);
        spared =
            change(
                failpoint,
                spared,
                () -> client.moveReplica(REGION, from, to),
                status -> hasReplica(status, to) && !hasReplica(status, from));
      }
    }
    assertNothingIsLost(failpoints);
  }

  /** The nodes with or without a replica of the region, when all of them report it. */
  private List<NodeId> nodesWithReplica(boolean has) {
    return await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              ClusterStatus status = client.status();
              return status.nodes().stream().allMatch(NodeReport::isUp)
                      && replicas(status)
                              .filter(replica -> replica.region().id().equals(REGION))
                              .count()
                          == 3
                  ? cluster.nodes().stream()
                      .map(node -> node.plan().id())
                      .filter(node -> hasReplica(status, node) == has)
                      .toList()
                  : List.<NodeId>of();
            },
            nodes -> !nodes.isEmpty());
  }

  private static boolean hasReplica(ClusterStatus status, NodeId node) {
    return status.nodes().stream()
        .filter(report -> report.id().equals(Optional.of(node)))
        .anyMatch(report -> report.replica(REGION).isPresent());
  }

  private static Stream<ReplicaState> replicas(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(report -> report.state().stream())
        .flatMap(state -> state.replicas().stream());
  }

  private void start(String preset, List<String> failpoints) throws IOException {
    Path jar = directory.resolve("halt.jar");
    Map<String, String> settings =
        Map.of(
            "cluster.replicas", "3",
            "placement.policy", "none");
    for (int i = 1; i <= 4; i++) {
      Files.createDirectories(armed(new NodeId("n" + i)));
    }
    HaltAgent.create(jar);
    cluster =
        ProcessCluster.temporary(
            directory,
            new Shape(4, 1, preset),
            plan -> plan,
            node ->
                Launch.with(settings)
                    .withJvmFlags(
                        List.of(
                            HaltAgent.flag(jar, armed(node.id()), failpoints),
                            Launch.FIRST_COMPILER_ONLY)));
    cluster.start();
    cluster.awaitServing(TIMEOUT);
    String seeds = cluster.plan().clientAddresses();
    client =
        QuorateClient.connect(ClientOptions.builder(seeds).deadline(Duration.ofSeconds(5)).build());
    // Elections take longer while many regions have one at a time.
    writer = AsyncQuorateClient.open(ClientOptions.builder(seeds).deadline(DEADLINE).build());
    ledger = new WriteLedger(writer);
    ledger.start(WRITERS);
  }

  private Path armed(NodeId node) {
    return directory.resolve("armed").resolve(node.value());
  }

  /**
   * Makes a change during which the first node halts that reaches a failpoint, and restarts it.
   *
   * @param spared nodes that do not halt
   * @return the nodes that halted
   */
  private Set<NodeId> change(
      String failpoint, Set<NodeId> spared, Runnable request, Predicate<ClusterStatus> isComplete)
      throws IOException {
    for (NodeProcess node : cluster.nodes()) {
      if (!spared.contains(node.plan().id())) {
        Files.write(armed(node.plan().id()).resolve(failpoint), new byte[0]);
      }
    }
    await(failpoint)
        .atMost(TIMEOUT)
        .until(
            () -> {
              attempt(request);
              // The status may show the change as complete before its last steps are reached.
              return hasHalted() || !spared.isEmpty() && isComplete.test(client.status());
            });
    Set<NodeId> halted = disarm(failpoint, spared);
    if (!halted.isEmpty()) {
      reached.add(failpoint);
    }
    // The rest continues where it can. One node may have been about to halt.
    await(failpoint)
        .atMost(TIMEOUT)
        .ignoreExceptionsInstanceOf(ClusterException.class)
        .until(
            () -> {
              cluster.start();
              cluster.awaitServing(TIMEOUT);
              return true;
            });
    await(failpoint + " at " + halted)
        .atMost(TIMEOUT)
        .until(
            () -> {
              attempt(request);
              return isComplete.test(client.status());
            });
    long target = ledger.acknowledged() + PROGRESS;
    await(failpoint).atMost(TIMEOUT).until(() -> ledger.acknowledged() >= target);
    return halted;
  }

  /** Requests a change that may be requested already, or complete. */
  private static void attempt(Runnable request) {
    try {
      request.run();
    } catch (QuorateException e) {
      // The next attempt or the status shows what has happened.
      return;
    }
  }

  private boolean hasHalted() {
    return cluster.nodes().stream().anyMatch(node -> !node.isAlive());
  }

  /** Lets no more nodes halt, and returns those that have halted, or are about to. */
  private Set<NodeId> disarm(String failpoint, Set<NodeId> spared) throws IOException {
    Set<NodeId> halted = new HashSet<>();
    for (NodeProcess node : cluster.nodes()) {
      NodeId id = node.plan().id();
      if (!Files.deleteIfExists(armed(id).resolve(failpoint)) && !spared.contains(id)) {
        halted.add(id);
      }
    }
    return halted;
  }

  private void assertNothingIsLost(List<String> failpoints) throws IOException {
    assertThat(reached).containsExactlyInAnyOrderElementsOf(failpoints);
    ledger.stop();
    assertThat(ledger.violations()).isEmpty();
    assertThat(ledger.closed()).hasSizeGreaterThan(WRITERS);
    // Of every region, any two nodes are a majority with all acknowledged writes.
    for (NodeProcess node : cluster.nodes()) {
      node.kill();
      assertThat(ledger.violations()).as("without " + node.plan().id()).isEmpty();
      node.start();
      cluster.awaitServing(TIMEOUT);
    }
  }
}
