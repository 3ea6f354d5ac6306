package io.quorate.torture.nemesis.arena;

import static java.net.HttpURLConnection.HTTP_OK;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.testbed.disk.Damage;
import io.quorate.torture.testbed.disk.NodeDisk;
import io.quorate.torture.testbed.network.Network;
import io.quorate.torture.workload.Workloads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cluster into which faults are injected, and the state of it that a nemesis needs. Used by one
 * thread at a time.
 */
public final class Arena implements AutoCloseable {
  private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);
  private static final long POLL_PAUSE_MILLIS = 200;

  /** Has the lowest keys, and so is never merged with one before it. */
  private static final int FIRST_REGION = 1;

  private static final Duration REACTION_TIMEOUT = Duration.ofSeconds(60);

  private final ProcessCluster cluster;
  private final Network network;
  private final Equipment equipment;
  private final AsyncQuorateClient observer;
  private final Operator operator;
  private final Placement placement;
  private final Consumer<String> notes;
  private final HttpClient http;
  private final Set<NodeId> corrupted = new HashSet<>();
  private final Set<NodeId> supervised = new HashSet<>();
  private Optional<NodeProcess> withDamagedBodies = Optional.empty();
  private String round = "";

  /**
   * Closing the arena does not close any of the arguments.
   *
   * @param network the relays in front of the cluster's nodes
   * @param equipment the equipment of the cluster's nodes
   * @param notes receives sentences for the log of faults
   */
  public Arena(ProcessCluster cluster, Network network, Equipment equipment, Consumer<String> notes)
      throws IOException {
    this.cluster = cluster;
    this.network = network;
    this.equipment = equipment;
    this.notes = notes;
    this.http = cluster.plan().httpClient(POLL_TIMEOUT);
    // Bypasses the relays, so that it reaches all nodes whichever links are cut.
    this.observer =
        AsyncQuorateClient.open(
            cluster
                .plan()
                .withHosts(id -> ClusterPlan.HOST)
                .clientOptions()
                .clientName("nemesis")
                .attemptTimeout(POLL_TIMEOUT)
                .build());
    this.operator = new Operator(observer);
    this.placement = new Placement(cluster.nodes().size(), this::states);
  }

  /** Logs what a fault has turned out to be, or how it was healed. */
  public void note(String sentence) {
    notes.accept(sentence);
  }

  /** Begins a round, whose workloads have keys of their own. */
  public void beginRound(String keys) {
    round = keys;
  }

  /** What distinguishes the keys of the present round. */
  public String round() {
    return round;
  }

  public ProcessCluster cluster() {
    return cluster;
  }

  public Network network() {
    return network;
  }

  public Equipment equipment() {
    return equipment;
  }

  /** Sends the requests of operators to the cluster. */
  public Operator operator() {
    return operator;
  }

  public NodeDisk disk(NodeProcess node) {
    return equipment.disks().of(node.plan().id());
  }

  /** Permits a node to end by itself, because a fault of this round may cause that. */
  public void supervise(NodeProcess node) {
    supervised.add(node.plan().id());
  }

  /** Whether a node may end by itself and is to be started again then. */
  public boolean isSupervised(NodeProcess node) {
    return supervised.contains(node.plan().id());
  }

  /** Revokes the permissions: from now on, no node may end by itself. */
  public void endSupervision() {
    supervised.clear();
  }

  /** Records that files of this node are damaged. */
  public void markCorrupted(NodeProcess node) {
    corrupted.add(node.plan().id());
  }

  public void markRepaired(NodeProcess node) {
    corrupted.remove(node.plan().id());
  }

  public boolean isCorrupted(NodeProcess node) {
    return corrupted.contains(node.plan().id());
  }

  /** Where the replicas are, and are to be. */
  public Placement placement() {
    return placement;
  }

  /** The number of nodes with damaged files. */
  public int corruptedCount() {
    return corrupted.size();
  }

  /** Whether a node may lose files for good, because no node has damaged files or bodies now. */
  public boolean mayDamage() {
    return corrupted.isEmpty() && withDamagedBodies.isEmpty();
  }

  /**
   * The node whose bodies may be damaged: a leader in half of the cases, and until it has restored
   * them no other one. Empty if it does not run, or files of a node are damaged.
   */
  public Optional<NodeProcess> nodeForBodyDamage(Random random) {
    if (!corrupted.isEmpty()) {
      return Optional.empty();
    }
    if (withDamagedBodies.isEmpty()) {
      withDamagedBodies = Targets.LEADER_OR_ONE.choose(this, random).stream().findFirst();
    }
    return withDamagedBodies.filter(NodeProcess::isAlive);
  }

  /**
   * If bodies were damaged, blocks until every node has all of its own: other nodes may lack some
   * too, because they were down. To be called when all nodes serve and no client writes.
   *
   * @return a sentence if one has not within {@code timeout}
   */
  public Optional<String> awaitBodiesRestored(Duration timeout) throws InterruptedException {
    if (withDamagedBodies.isEmpty()) {
      return Optional.empty();
    }
    long end = System.nanoTime() + timeout.toNanos();
    for (int region = 1; region <= cluster.plan().regions(); region++) {
      awaitCaughtUp(region, cluster.nodes(), timeout);
    }
    for (NodeProcess node : cluster.nodes()) {
      if (!new BodyWalks(metrics(node)).awaitClean(end)) {
        return Optional.of(
            String.format(
                Locale.ROOT,
                "Node %s did not restore its bodies within %d s, though all nodes serve.",
                node.plan().id(),
                timeout.toSeconds()));
      }
    }
    withDamagedBodies = Optional.empty();
    return Optional.empty();
  }

  /**
   * Blocks until the replicas of every region are equal. To be called when all nodes serve.
   *
   * @return a sentence if they differ, or are not compared within {@code timeout}
   */
  public Optional<String> awaitReplicasEqual(Duration timeout) throws InterruptedException {
    return new ReplicaDigests(observer).awaitEqual(timeout);
  }

  public NodeMetrics metrics(NodeProcess node) {
    return new NodeMetrics(http, cluster.plan().adminAddress(node.plan()), POLL_TIMEOUT);
  }

  /** Nodes whose process runs, paused or not. */
  public List<NodeProcess> running() {
    return cluster.nodes().stream().filter(NodeProcess::isAlive).toList();
  }

  /**
   * Blocks until the node has opened all its replicas and accepts clients, or has ended.
   *
   * @return whether it accepts clients; false if neither happens within {@code timeout}
   */
  public boolean awaitReady(NodeProcess node, Duration timeout) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(cluster.plan().adminAddress(node.plan()) + "/ready"))
            .timeout(POLL_TIMEOUT)
            .build();
    long end = System.nanoTime() + timeout.toNanos();
    while (node.isAlive() && System.nanoTime() < end) {
      if (isReady(request)) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
    }
    return false;
  }

  /** Waits until a node that was started under a fault serves or ends, and describes which. */
  public String reaction(NodeProcess node) throws InterruptedException {
    if (awaitReady(node, REACTION_TIMEOUT)) {
      return "it serves";
    }
    return node.isAlive() ? "it does not serve" : "it ended: " + node.lastSentence();
  }

  private boolean isReady(HttpRequest request) throws InterruptedException {
    try {
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == HTTP_OK;
    } catch (IOException e) {
      // The admin port is not open yet, or the node has ended.
      return false;
    }
  }

  /** Whether regions have leaders. */
  public boolean hasLeaders() {
    return states().stream().anyMatch(state -> !state.leaderless());
  }

  /**
   * The leader of the region according to the report of the latest epoch; empty if no replica
   * reports one. Blocks for about a second if a node does not respond.
   */
  public Optional<NodeId> leader(int region) {
    return states().stream()
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().value() == region)
        .filter(replica -> replica.region().leader().isPresent())
        .max(Comparator.comparingLong(ReplicaState::consensusEpoch))
        .flatMap(replica -> replica.region().leader());
  }

  /**
   * The highest consensus epoch, such as a term, that a node reports for the region; -1 if none
   * responds. It increases when an election begins, before its result is known.
   */
  public long epoch(int region) {
    return states().stream()
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().value() == region)
        .mapToLong(ReplicaState::consensusEpoch)
        .max()
        .orElse(-1);
  }

  /**
   * Waits until these nodes, as far as they have a replica of the region, have applied what is
   * committed in it now.
   *
   * @return whether they have; false if one has not within {@code timeout}
   */
  public boolean awaitCaughtUp(int region, List<NodeProcess> nodes, Duration timeout)
      throws InterruptedException {
    long committed =
        replicas(region, cluster.nodes()).mapToLong(ReplicaState::committed).max().orElse(0);
    long expected =
        placement
            .region(region)
            .map(
                assigned ->
                    nodes.stream()
                        .filter(node -> assigned.replicas().contains(node.plan().id()))
                        .count())
            .orElse((long) nodes.size());
    return await(
        () ->
            replicas(region, nodes).filter(replica -> replica.applied() >= committed).count()
                >= expected,
        timeout);
  }

  /** The replicas of a region at the nodes that respond. */
  private Stream<ReplicaState> replicas(int region, List<NodeProcess> nodes) {
    Set<NodeId> ids = nodes.stream().map(node -> node.plan().id()).collect(Collectors.toSet());
    return states().stream()
        .filter(state -> ids.contains(state.id()))
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().value() == region);
  }

  /** Blocks until a condition holds; returns whether it does within {@code timeout}. */
  public static boolean await(BooleanSupplier condition, Duration timeout)
      throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
    }
    return true;
  }

  /**
   * Reads the first or the last keys with a prefix.
   *
   * @throws IOException if that is not possible within the deadline of a client
   */
  public List<String> keys(String prefix, boolean last, int count) throws IOException {
    try {
      KeyRange range = KeyRange.ofPrefix(prefix);
      return (last ? observer.scanReverse(range, count) : observer.scan(range, count))
          .join().stream().map(row -> new String(row.key(), StandardCharsets.UTF_8)).toList();
    } catch (CompletionException e) {
      throw new IOException("No keys can be read: " + e.getCause().getMessage(), e);
    }
  }

  /** Whether large values are replicated as fragments. */
  public boolean codesValues() {
    return cluster.nodes().stream()
        .anyMatch(node -> Files.isDirectory(Damage.bodies(node.plan().dataDirectory())));
  }

  /**
   * A key of every data region that no workload uses. Blocks until a node reports all regions.
   *
   * @throws IllegalStateException if none does for a minute
   */
  public Map<Integer, byte[]> keyOfEachRegion() throws InterruptedException {
    NodeState node = awaitAllRegions();
    Map<Integer, byte[]> keys = new TreeMap<>();
    for (RegionDescriptor region : node.regions()) {
      ByteArrayOutputStream key = new ByteArrayOutputStream();
      key.writeBytes(region.range().start().bytes());
      // Among the lowest keys of the region: the keys of the workloads contain no zero byte.
      key.writeBytes(new byte[] {0, 'p', 'u', 'l', 's', 'e'});
      keys.put(region.id().value(), key.toByteArray());
    }
    return keys;
  }

  /** A node that has just started responds before it has the topology. */
  private NodeState awaitAllRegions() throws InterruptedException {
    long deadline = System.nanoTime() + REACTION_TIMEOUT.toNanos();
    while (true) {
      Optional<NodeState> complete =
          states().stream()
              .filter(state -> state.regions().size() >= cluster.plan().regions())
              .findFirst();
      if (complete.isPresent()) {
        return complete.get();
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("No node reports all regions");
      }
      // A node reports its state only when it is requested.
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
    }
  }

  /**
   * A data region with keys of one of the workloads' prefixes in this round; the first region if no
   * node responds.
   */
  public int anyRegion(Random random) {
    List<String> prefixes = Workloads.prefixes(round);
    byte[] prefix = prefixes.get(random.nextInt(prefixes.size())).getBytes(StandardCharsets.UTF_8);
    KeyRange written = KeyRange.ofPrefix(Key.wrap(prefix));
    return shuffled(placement.regions(), random).stream()
        .filter(region -> !region.range().intersect(written).isEmpty())
        .findFirst()
        .map(region -> region.id().value())
        .orElse(FIRST_REGION);
  }

  /** The leader of a region, if it runs; where regions have no leader, any node that runs. */
  public Optional<NodeProcess> leaderOrAny(Random random) {
    List<NodeProcess> running = shuffled(running(), random);
    Optional<NodeId> leader = leader(anyRegion(random));
    return running.stream()
        .filter(node -> leader.isEmpty() || node.plan().id().equals(leader.get()))
        .findFirst();
  }

  /** The same elements in random order. */
  public static <T> List<T> shuffled(List<T> elements, Random random) {
    List<T> shuffled = new ArrayList<>(elements);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }

  private List<NodeState> states() {
    return observer.status().join().nodes().stream()
        .map(NodeReport::state)
        .flatMap(Optional::stream)
        .toList();
  }

  @Override
  public void close() {
    observer.close();
  }
}
