package io.quorate.client.fake;

import com.google.protobuf.ByteString;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.Reads;
import io.quorate.client.wire.v1.Region;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Nodes named n1, n2, ... on free ports of the loopback address, and regions numbered from 1, all
 * of which n1 leads at first. Every node has every region, and all nodes share one state: consensus
 * is not what is tested here.
 */
public final class FakeCluster implements AutoCloseable {
  public static final String ID = "fake";

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<FakeNode> nodes = new ArrayList<>();
  private final List<FakeRegion> regions = new ArrayList<>();
  private final Map<Integer, Long> epochs = new HashMap<>();
  private final Map<Integer, String> leaders = new HashMap<>();

  private volatile boolean leaderless;

  private FakeCluster(int nodeCount, List<Key> splits) {
    List<Optional<Key>> bounds = new ArrayList<>();
    splits.forEach(key -> bounds.add(Optional.of(key)));
    bounds.add(Optional.empty());
    Key start = Key.EMPTY;
    for (Optional<Key> end : bounds) {
      int id = regions.size() + 1;
      regions.add(new FakeRegion(id, new KeyRange(start, end)));
      epochs.put(id, 1L);
      leaders.put(id, "n1");
      start = end.orElse(Key.EMPTY);
    }
    for (int i = 1; i <= nodeCount; i++) {
      nodes.add(new FakeNode(this, "n" + i, group));
    }
  }

  /** Starts a cluster whose regions meet at {@code splits}. */
  public static FakeCluster start(int nodeCount, String... splits) {
    FakeCluster cluster =
        new FakeCluster(nodeCount, List.of(splits).stream().map(Key::utf8).toList());
    cluster.nodes.forEach(FakeNode::start);
    return cluster;
  }

  /** From now on every node takes requests, and linearizable reads may be asked of a quorum. */
  public FakeCluster leaderless() {
    leaderless = true;
    leaders.replaceAll((region, leader) -> "");
    return this;
  }

  boolean isLeaderless() {
    return leaderless;
  }

  /** Addresses of all nodes, as clients take them. */
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

  public FakeRegion region(int id) {
    return regions.get(id - 1);
  }

  /** The value of a key, wherever it is; empty if there is none. */
  public Optional<String> value(String key) {
    Key wanted = Key.utf8(key);
    return regions.stream()
        .filter(region -> region.range().contains(wanted))
        .findFirst()
        .flatMap(region -> region.get(wanted))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** How often a write came again after it had taken effect. */
  public int duplicates() {
    return regions.stream().mapToInt(FakeRegion::duplicates).sum();
  }

  /** Names another leader; an empty name for none. */
  public synchronized void lead(int region, String node) {
    leaders.put(region, node);
  }

  synchronized String leader(int region) {
    return leaders.get(region);
  }

  /** Makes what clients know about a region out of date. */
  public synchronized void raiseEpoch(int region) {
    epochs.merge(region, 1L, Long::sum);
  }

  synchronized long epoch(int region) {
    return epochs.getOrDefault(region, -1L);
  }

  synchronized Topology topology() {
    Topology.Builder topology =
        Topology.newBuilder()
            .setClusterId(ID)
            .setLeadersOnly(!leaderless)
            .setReads(
                Reads.newBuilder()
                    .setByReplicas(leaderless)
                    .setQuorumRule(leaderless ? Reads.QuorumRule.BARRIER : Reads.QuorumRule.NONE));
    nodes.forEach(node -> topology.addNodes(describe(node)));
    for (FakeRegion region : regions) {
      Region.Builder described =
          topology
              .addRegionsBuilder()
              .setId(region.id())
              .setEpoch(epochs.get(region.id()))
              .setStart(ByteString.copyFrom(region.range().start().bytes()))
              .setLeader(leaders.get(region.id()));
      region.range().end().ifPresent(end -> described.setEnd(ByteString.copyFrom(end.bytes())));
      nodes.forEach(node -> described.addReplicas(node.id()));
    }
    return topology.build();
  }

  List<FakeRegion> regions() {
    return regions;
  }

  static Node describe(FakeNode node) {
    return Node.newBuilder()
        .setId(node.id())
        .setHost("127.0.0.1")
        .setClientPort(node.port())
        .build();
  }

  @Override
  public void close() {
    nodes.forEach(FakeNode::stop);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
