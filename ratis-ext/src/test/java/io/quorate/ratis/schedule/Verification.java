package io.quorate.ratis.schedule;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.GroupStatus;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.ratis.schedule.ScheduleNode.Running;
import io.quorate.replication.coded.Holdings;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.read.ScanPlan;
import io.quorate.storage.read.StoredCut;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.core.ConditionTimeoutException;

/** Compares all replicas when the faults have ended, and restores every body. */
final class Verification {
  private static final int ROWS_MAX = 100;
  private static final Duration POLL = Duration.ofMillis(5);
  private static final long READ_SECONDS_MAX = 5;

  private final ScheduleCluster cluster;
  private final List<String> problems;

  Verification(ScheduleCluster cluster, List<String> problems) {
    this.cluster = cluster;
    this.problems = problems;
  }

  /** The rows of all replicas at the same position, at or beyond one; empty if they never are. */
  Optional<StoredCut> converge(Position atLeast) {
    try {
      List<StoredCut> cuts =
          await()
              .atMost(ScheduleCluster.PATIENCE)
              .pollDelay(Duration.ZERO)
              .pollInterval(POLL)
              .ignoreExceptions()
              .until(
                  this::cuts,
                  all ->
                      all.stream().map(StoredCut::position).distinct().count() == 1
                          && all.get(0).position().covers(atLeast));
      for (StoredCut cut : cuts) {
        if (!cut.rows().equals(cuts.get(0).rows())) {
          problems.add("Rows differ at " + cut.position() + ": " + cuts);
        }
      }
      return Optional.of(cuts.get(0));
    } catch (ConditionTimeoutException e) {
      problems.add("The replicas did not reach one position: " + positions());
      return Optional.empty();
    }
  }

  private String positions() {
    return cluster.nodes().stream().map(Verification::position).toList() + ", " + cluster.faults();
  }

  private static String position(ScheduleNode node) {
    return node.running()
        .map(running -> position(node.id(), running))
        .orElseGet(() -> node.id() + " does not run");
  }

  private static String position(NodeId node, Running running) {
    GroupStatus view = running.group().view();
    return "%s applied %s, committed %s, term %d, leader %s%s"
        .formatted(
            node,
            running.store().applied(),
            view.committed(),
            view.epoch(),
            view.leader().map(NodeId::value).orElse("unknown"),
            view.serving() ? ", serving" : "");
  }

  private List<StoredCut> cuts() {
    return cluster.nodes().stream()
        .map(node -> node.running().orElseThrow().store())
        .map(
            store ->
                store.cutStored(
                    KeyRange.ALL, ScanOrder.FORWARD, ROWS_MAX, Integer.MAX_VALUE, ScanPlan.MERGE))
        .toList();
  }

  /** The values of the rows; bodies are restored from what each majority holds. */
  Map<Key, ByteBuffer> values(StoredCut cut) throws IOException {
    Map<Key, ByteBuffer> values = new TreeMap<>();
    for (StoredCut.Row row : cut.rows()) {
      if (row.value() instanceof StoredValue.Inline inline) {
        values.put(row.key(), inline.bytes());
      } else if (row.value() instanceof StoredValue.Body body) {
        restore(row.key(), body.reference()).ifPresent(value -> values.put(row.key(), value));
      }
    }
    return values;
  }

  /** Restores a body with every F nodes left out in turn. */
  private Optional<ByteBuffer> restore(Key key, BodyReference body) throws IOException {
    Map<NodeId, BodyStorage> stores = new TreeMap<>();
    for (ScheduleNode node : cluster.nodes()) {
      stores.put(node.id(), node.running().orElseThrow().bodyStore());
    }
    Holdings holdings = Holdings.of(cluster.group(), body, stores);
    if (!holdings.damaged().isEmpty()) {
      problems.add("Damaged parts of " + body + ": " + holdings);
    }
    Optional<ByteBuffer> value = Optional.empty();
    for (List<NodeId> majority : majorities(List.copyOf(stores.keySet()))) {
      Optional<ByteBuffer> restored = holdings.restore(majority);
      if (restored.isEmpty()) {
        problems.add(majority + " cannot restore " + key + " " + body + " from " + holdings);
      } else if (value.isPresent() && !value.equals(restored)) {
        problems.add(majority + " restore another value of " + key + " " + body);
      } else {
        value = restored;
      }
    }
    return value;
  }

  private List<List<NodeId>> majorities(List<NodeId> nodes) {
    List<List<NodeId>> majorities = new ArrayList<>();
    int size = nodes.size() - cluster.failuresMax();
    for (int set = 0; set < 1 << nodes.size(); set++) {
      if (Integer.bitCount(set) == size) {
        List<NodeId> majority = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
          if ((set >> i & 1) == 1) {
            majority.add(nodes.get(i));
          }
        }
        majorities.add(majority);
      }
    }
    return majorities;
  }

  /** Reads all values at one node while as many others as may fail cannot be reached. */
  void readWithoutSome(Random random, Map<Key, ByteBuffer> expected) throws InterruptedException {
    List<ScheduleNode> order = new ArrayList<>(cluster.nodes());
    Collections.shuffle(order, random);
    ScheduleNode reader = order.get(0);
    boolean asLeader = random.nextBoolean() && lead(reader);
    List<ScheduleNode> excluded = order.subList(1, 1 + cluster.failuresMax());
    cluster.partition(excluded);
    try {
      for (Map.Entry<Key, ByteBuffer> value : expected.entrySet()) {
        Optional<ByteBuffer> read = read(reader, value.getKey(), asLeader);
        if (!read.equals(Optional.of(value.getValue()))) {
          problems.add(
              reader.id()
                  + " reads another value, or none, of "
                  + value.getKey()
                  + " without "
                  + excluded.stream().map(ScheduleNode::id).toList());
        }
      }
    } finally {
      cluster.reunite(excluded);
    }
  }

  private boolean lead(ScheduleNode next) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READ_SECONDS_MAX);
    while (!next.isServing() && System.nanoTime() - deadline < 0) {
      cluster.transfer(next.id()).ifPresent(done -> done.handle((ok, failure) -> ok).join());
      TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
    }
    return next.isServing();
  }

  private static Optional<ByteBuffer> read(ScheduleNode reader, Key key, boolean atFirstAsLeader)
      throws InterruptedException {
    boolean asLeader = atFirstAsLeader;
    Running node = reader.running().orElseThrow();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READ_SECONDS_MAX);
    while (System.nanoTime() - deadline < 0) {
      try {
        return Load.read(node, key, asLeader);
      } catch (ExecutionException | TimeoutException e) {
        // The leader may have changed: the state is what is compared.
        asLeader = false;
      }
    }
    return Optional.empty();
  }
}
