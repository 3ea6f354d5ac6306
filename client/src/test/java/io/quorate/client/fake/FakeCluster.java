package io.quorate.client.fake;

import com.google.protobuf.ByteString;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.FoundingId;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.Reads;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Topology;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Nodes named n1, n2, ... on free ports of the loopback address, and regions numbered from 1, all
 * of which n1 leads at first. Every node has every region, and all nodes share one state instead of
 * replicating it: consensus is not under test here.
 */
public final class FakeCluster implements AutoCloseable {
  public static final String ID = "fake";

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<FakeNode> nodes = new ArrayList<>();
  private final Set<FakeNode> removed = new HashSet<>();
  private final List<FakeRegion> regions = new ArrayList<>();
  private final Map<Integer, Long> epochs = new HashMap<>();
  private final Map<Integer, String> leaders = new HashMap<>();
  private int lastId;

  private volatile String id = ID;
  private volatile boolean leaderless;
  private volatile boolean reportsBodies;
  private volatile boolean topologyIsKnown = true;
  private volatile UUID founding = UUID.randomUUID();

  private FakeCluster(int nodeCount, List<Key> splits) {
    List<Optional<Key>> bounds = new ArrayList<>();
    splits.forEach(key -> bounds.add(Optional.of(key)));
    bounds.add(Optional.empty());
    Key start = Key.EMPTY;
    for (Optional<Key> end : bounds) {
      int id = ++lastId;
      regions.add(new FakeRegion(id, new KeyRange(start, end)));
      epochs.put(id, 1L);
      leaders.put(id, "n1");
      start = end.orElse(Key.EMPTY);
    }
    for (int i = 1; i <= nodeCount; i++) {
      nodes.add(new FakeNode(this, "n" + i, group));
    }
  }

  /** Starts a cluster whose regions are divided at the keys {@code splits}. */
  public static FakeCluster start(int nodeCount, String... splits) {
    FakeCluster cluster =
        new FakeCluster(nodeCount, List.of(splits).stream().map(Key::utf8).toList());
    cluster.nodes.forEach(FakeNode::start);
    return cluster;
  }

  /** Sets the cluster id that the nodes report. */
  public FakeCluster named(String clusterId) {
    id = clusterId;
    nodes.forEach(node -> node.clusterId(clusterId));
    return this;
  }

  /** The nodes belong to the cluster that was founded as this one from now on. */
  public FakeCluster foundedAs(UUID id) {
    founding = id;
    return this;
  }

  /** Starts a cluster of one node at this address. */
  public static FakeCluster startAt(String host, int port) {
    FakeCluster cluster = new FakeCluster(0, List.of());
    cluster.nodes.add(new FakeNode(cluster, "n1", cluster.group, host, port));
    cluster.nodes.forEach(FakeNode::start);
    return cluster;
  }

  /** The nodes do not know any region, as before they have joined their cluster. */
  public FakeCluster withoutTopology() {
    topologyIsKnown = false;
    return this;
  }

  /**
   * Removes all leaders: from now on every node accepts requests, and clients may do quorum reads.
   */
  public FakeCluster leaderless() {
    leaderless = true;
    leaders.replaceAll((region, leader) -> "");
    return this;
  }

  boolean isLeaderless() {
    return leaderless;
  }

  /** Makes the first node report what it holds of large values. */
  public FakeCluster reportBodies() {
    reportsBodies = true;
    return this;
  }

  boolean reportsBodies() {
    return reportsBodies;
  }

  /** The addresses of all nodes, as {@code host:port,host:port}. */
  public String addresses() {
    return nodes.stream().map(FakeNode::address).collect(Collectors.joining(","));
  }

  /** Node {@code n<number>}. */
  public FakeNode node(int number) {
    return nodes.get(number - 1);
  }

  public List<FakeNode> nodes() {
    return Collections.unmodifiableList(nodes);
  }

  public synchronized FakeRegion region(int id) {
    return regions.stream().filter(region -> region.id() == id).findFirst().orElseThrow();
  }

  /** Splits the region that has a key at this key, and raises its epoch. */
  public synchronized void split(String at) {
    Key key = Key.utf8(at);
    FakeRegion parent =
        regions.stream().filter(region -> region.range().contains(key)).findFirst().orElseThrow();
    int id = ++lastId;
    regions.add(regions.indexOf(parent) + 1, parent.split(key, id));
    epochs.merge(parent.id(), 1L, Long::sum);
    epochs.put(id, epochs.get(parent.id()));
    leaders.put(id, leaders.get(parent.id()));
  }

  /** Merges the region that begins at this key with the one before it, and raises its epoch. */
  public synchronized void merge(String at) {
    Key key = Key.utf8(at);
    FakeRegion absorbed =
        regions.stream()
            .filter(region -> region.range().start().equals(key))
            .findFirst()
            .orElseThrow();
    FakeRegion into = regions.get(regions.indexOf(absorbed) - 1);
    into.absorb(absorbed);
    regions.remove(absorbed);
    epochs.remove(absorbed.id());
    leaders.remove(absorbed.id());
    epochs.merge(into.id(), 1L, Long::sum);
  }

  /** The value of a key in any region; empty if there is none. */
  public synchronized Optional<String> value(String key) {
    Key searched = Key.utf8(key);
    return regions.stream()
        .filter(region -> region.range().contains(searched))
        .findFirst()
        .flatMap(region -> region.get(searched))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** The number of writes that were received again after they had taken effect. */
  public synchronized int duplicates() {
    return regions.stream().mapToInt(FakeRegion::duplicates).sum();
  }

  /** Sets the leader of a region; an empty name for none. */
  public synchronized void setLeader(int region, String node) {
    leaders.put(region, node);
  }

  synchronized String leader(int region) {
    return leaders.get(region);
  }

  /** Removes a node from the topology; it goes on to listen. */
  public synchronized void remove(FakeNode node) {
    removed.add(node);
  }

  private List<FakeNode> present() {
    return nodes.stream().filter(node -> !removed.contains(node)).toList();
  }

  /** Raises the epoch of a region, so that the topology of the clients is outdated. */
  public synchronized void raiseEpoch(int region) {
    epochs.merge(region, 1L, Long::sum);
  }

  synchronized long epoch(int region) {
    return epochs.getOrDefault(region, -1L);
  }

  synchronized Topology topology() {
    Topology.Builder topology =
        Topology.newBuilder()
            .setClusterId(id)
            .setFounding(FoundingId.bytes(founding))
            .setLeadersOnly(!leaderless)
            .setReads(
                Reads.newBuilder()
                    .setByReplicas(leaderless)
                    .setQuorumRule(leaderless ? Reads.QuorumRule.BARRIER : Reads.QuorumRule.NONE));
    present().forEach(node -> topology.addNodes(describe(node)));
    if (!topologyIsKnown) {
      return topology.clearFounding().build();
    }
    for (FakeRegion region : regions) {
      Region.Builder described =
          topology
              .addRegionsBuilder()
              .setId(region.id())
              .setEpoch(epochs.get(region.id()))
              .setStart(ByteString.copyFrom(region.range().start().bytes()))
              .setLeader(leaders.get(region.id()));
      region.range().end().ifPresent(end -> described.setEnd(ByteString.copyFrom(end.bytes())));
      present().forEach(node -> described.addReplicas(node.id()));
    }
    return topology.build();
  }

  synchronized List<FakeRegion> regions() {
    return List.copyOf(regions);
  }

  static Node describe(FakeNode node) {
    return Node.newBuilder()
        .setId(node.id())
        .setHost(node.host())
        .setClientPort(node.port())
        .build();
  }

  @Override
  public void close() {
    nodes.forEach(FakeNode::stop);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
