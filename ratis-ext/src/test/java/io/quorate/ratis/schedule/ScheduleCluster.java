package io.quorate.ratis.schedule;

import static org.awaitility.Awaitility.await;

import io.quorate.common.LoopbackPorts;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/** The nodes of all schedules of a run: they are not started anew for each. */
final class ScheduleCluster implements AutoCloseable {
  static final int NODES_MAX = 7;

  /** The time within which an awaited event must happen. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration POLL = Duration.ofMillis(5);

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("election-timeout-min", "300ms"),
          Map.entry("election-timeout-max", "600ms"),
          Map.entry("first-election-timeout-min", "100ms"),
          Map.entry("first-election-timeout-max", "400ms"),
          Map.entry("entry-size-max", "256KiB"),
          Map.entry("segment-size", "64KiB"),
          Map.entry("log-retained-entries", "5000"),
          Map.entry("log-retained-for-slow-entries", "10000"),
          Map.entry("purge-interval", "50ms"),
          Map.entry("coded.min-value", "4KiB"),
          Map.entry("coded.chunk-size", "8KiB"),
          Map.entry("coded.fallback-after", "50ms"),
          Map.entry("coded.timeout", "2s"),
          Map.entry("coded.fetch-timeout", "500ms"));

  private final GroupSpec spec;
  private final FaultPoints faults = new FaultPoints();
  private final List<ScheduleNode> nodes;
  private final List<String> problems = new CopyOnWriteArrayList<>();

  ScheduleCluster(Path directory, int size) {
    List<NodeId> ids = IntStream.rangeClosed(1, size).mapToObj(i -> new NodeId("n" + i)).toList();
    List<Member> members = new ArrayList<>();
    for (NodeId id : ids) {
      members.add(new Member(id, address()));
    }
    spec = new GroupSpec(UUID.randomUUID(), new GroupId(1), members, Optional.empty());
    nodes =
        ids.stream()
            .map(
                id ->
                    new ScheduleNode(
                        id,
                        spec,
                        new EngineSettings("raft", SETTINGS),
                        directory.resolve(id.value()),
                        faults,
                        problems::add))
            .toList();
    nodes.forEach(ScheduleNode::start);
  }

  private static InetSocketAddress address() {
    return InetSocketAddress.createUnresolved("127.0.0.1", LoopbackPorts.next());
  }

  FaultPoints faults() {
    return faults;
  }

  GroupId group() {
    return spec.group();
  }

  List<ScheduleNode> nodes() {
    return nodes;
  }

  /** The number of nodes that may fail. */
  int failuresMax() {
    return nodes.size() / 2;
  }

  /** Failures of the nodes that no fault explains. */
  List<String> problems() {
    return problems;
  }

  /** A node that would accept proposals, in its own view; the last one to be elected first. */
  Optional<ScheduleNode> leader() {
    return nodes.stream()
        .filter(ScheduleNode::isServing)
        .max((a, b) -> Long.compare(epoch(a), epoch(b)));
  }

  private static long epoch(ScheduleNode node) {
    return node.running().map(running -> running.group().view().epoch()).orElse(0L);
  }

  ScheduleNode awaitLeader() {
    return await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL)
        .until(this::leader, Optional::isPresent)
        .orElseThrow();
  }

  /** Requests the transfer of the leadership; empty if no node leads. */
  Optional<CompletableFuture<Void>> transfer(NodeId to) {
    return leader()
        .flatMap(ScheduleNode::running)
        .map(
            leader ->
                leader
                    .group()
                    .control(Leadership.class)
                    .orElseThrow()
                    .transferTo(to, Duration.ofSeconds(2))
                    .toCompletableFuture());
  }

  /** Cuts off these nodes from the others, in both directions. */
  void partition(List<ScheduleNode> some) {
    forEachLink(some, faults::cut);
  }

  void reunite(List<ScheduleNode> some) {
    forEachLink(some, faults::restore);
  }

  private interface LinkAction {
    void run(NodeId from, NodeId to);
  }

  private void forEachLink(List<ScheduleNode> some, LinkAction action) {
    for (ScheduleNode inside : some) {
      for (ScheduleNode outside : nodes) {
        if (!some.contains(outside)) {
          action.run(inside.id(), outside.id());
          action.run(outside.id(), inside.id());
        }
      }
    }
  }

  @Override
  public void close() {
    faults.close();
    CompletableFuture.allOf(
            nodes.stream()
                .map(node -> CompletableFuture.runAsync(node::close))
                .toArray(CompletableFuture[]::new))
        .join();
  }
}
