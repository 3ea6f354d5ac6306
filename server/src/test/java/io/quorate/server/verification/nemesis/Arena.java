package io.quorate.server.verification.nemesis;

import static java.net.HttpURLConnection.HTTP_OK;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.NodeReport;
import io.quorate.client.NodeState;
import io.quorate.client.RegionDescriptor;
import io.quorate.client.ReplicaState;
import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.server.verification.disk.NodeDisk;
import io.quorate.server.verification.network.Network;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The cluster that faults are injected into, and what a nemesis wants to know of it. Used by one
 * thread at a time.
 */
public final class Arena implements AutoCloseable {
  private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(1);
  private static final long LOOK_PAUSE_MILLIS = 200;
  private static final Duration REACTION_PATIENCE = Duration.ofSeconds(60);

  private final ProcessCluster cluster;
  private final Network network;
  private final Equipment equipment;
  private final AsyncQuorateClient observer;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(LOOK_TIMEOUT).build();
  private final Set<NodeId> corrupted = new HashSet<>();
  private final Set<NodeId> supervised = new HashSet<>();

  /**
   * @param network in front of the cluster's nodes; not closed with the arena, nor are the others
   * @param equipment the nodes run on
   */
  public Arena(ProcessCluster cluster, Network network, Equipment equipment) {
    this.cluster = cluster;
    this.network = network;
    this.equipment = equipment;
    // Past the relays, so that it sees all nodes whatever is cut.
    this.observer =
        AsyncQuorateClient.open(
            ClientOptions.builder(
                    cluster.plan().withHosts(id -> ClusterPlan.HOST).clientAddresses())
                .clusterId(cluster.plan().clusterId())
                .clientName("nemesis")
                .attemptTimeout(LOOK_TIMEOUT)
                .build());
  }

  public ProcessCluster cluster() {
    return cluster;
  }

  public Network network() {
    return network;
  }

  Equipment equipment() {
    return equipment;
  }

  NodeDisk disk(NodeProcess node) {
    return equipment.disks().of(node.plan().id());
  }

  /** Lets a node end by itself: a fault of this round is a reason for it to. */
  void supervise(NodeProcess node) {
    supervised.add(node.plan().id());
  }

  /** Whether a node may end by itself, and is to be started again then. */
  public boolean isSupervised(NodeProcess node) {
    return supervised.contains(node.plan().id());
  }

  /** From now on, no node may end by itself. */
  public void endSupervision() {
    supervised.clear();
  }

  /** Files of this node are not as it wrote them. */
  void corrupted(NodeProcess node) {
    corrupted.add(node.plan().id());
  }

  void repaired(NodeProcess node) {
    corrupted.remove(node.plan().id());
  }

  boolean isCorrupted(NodeProcess node) {
    return corrupted.contains(node.plan().id());
  }

  /** How many nodes have files that are not as they wrote them. */
  int corrupted() {
    return corrupted.size();
  }

  /** Nodes whose process runs, paused or not. */
  public List<NodeProcess> running() {
    return cluster.nodes().stream().filter(NodeProcess::isAlive).toList();
  }

  /**
   * Blocks until the node has opened all its replicas and takes clients, or has ended.
   *
   * @return whether it takes clients; not so if neither happens within {@code patience}
   */
  public boolean awaitReady(NodeProcess node, Duration patience) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node.plan().adminAddress() + "/ready"))
            .timeout(LOOK_TIMEOUT)
            .build();
    long end = System.nanoTime() + patience.toNanos();
    while (node.isAlive() && System.nanoTime() < end) {
      if (isReady(request)) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_PAUSE_MILLIS);
    }
    return false;
  }

  /** What a node does that was started in bad circumstances; waits until it does. For people. */
  String reaction(NodeProcess node) throws InterruptedException {
    if (awaitReady(node, REACTION_PATIENCE)) {
      return "it serves";
    }
    return node.isAlive() ? "it does not serve" : "it ended: " + node.lastSentence();
  }

  private boolean isReady(HttpRequest request) throws InterruptedException {
    try {
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == HTTP_OK;
    } catch (IOException e) {
      // It has not got so far yet, or has ended.
      return false;
    }
  }

  /** Whether only a region's leader serves it. */
  public boolean hasLeaders() {
    return states().stream().anyMatch(state -> !state.leaderless());
  }

  /**
   * Who leads the region, by the newest report there is; empty where nobody does or tells. Blocks
   * for about a second if a node does not answer.
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
   * A key of every data region that no workload uses.
   *
   * @throws IllegalStateException if no node answers
   */
  public Map<Integer, byte[]> keyOfEachRegion() {
    NodeState node =
        states().stream()
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("No node responds"));
    Map<Integer, byte[]> keys = new TreeMap<>();
    for (RegionDescriptor region : node.regions()) {
      ByteArrayOutputStream key = new ByteArrayOutputStream();
      key.writeBytes(region.range().start().bytes());
      // The lowest keys of a region, which text never begins with.
      key.writeBytes(new byte[] {0, 'p', 'u', 'l', 's', 'e'});
      keys.put(region.id().value(), key.toByteArray());
    }
    return keys;
  }

  /** One of the data regions. */
  public int anyRegion(Random random) {
    return 1 + random.nextInt(cluster.plan().regions());
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
  static <T> List<T> shuffled(List<T> elements, Random random) {
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
