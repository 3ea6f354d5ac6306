package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.testbed.Leader;
import io.quorate.client.QuorateException;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/**
 * Measures the first read of each key at a new leader, which may have to restore the value from
 * fragments, and the mean of the first ten reads of each key.
 */
final class ReadsAtNewLeader {
  private static final int READS = 10;
  private static final double NANOS_PER_MILLI = 1e6;

  private final List<NodeId> nodes;
  private final ClientPool clients;

  ReadsAtNewLeader(List<NodePlan> nodes, ClientPool clients) {
    this.nodes = nodes.stream().map(NodePlan::id).toList();
    this.clients = clients;
  }

  /**
   * Transfers the leadership to the next node that takes it, and reads every key there, one read
   * after the other. The first key is not measured: its read finds the new leader. Blocks.
   *
   * @param keys two or more, which have values
   * @throws IOException if no other node becomes the leader, or a read fails
   */
  Map<Metric, Double> measure(KeySpace keys) throws IOException, InterruptedException {
    transfer();
    double firstNanos = 0;
    double allNanos = 0;
    read(keys, 0);
    for (int key = 1; key < keys.count(); key++) {
      for (int i = 0; i < READS; i++) {
        long nanos = read(keys, key);
        firstNanos += i == 0 ? nanos : 0;
        allNanos += nanos;
      }
    }
    int measured = keys.count() - 1;
    return Map.of(
        Metric.FIRST_READ,
        firstNanos / measured / NANOS_PER_MILLI,
        Metric.TEN_READS,
        allNanos / measured / READS / NANOS_PER_MILLI);
  }

  private void transfer() throws IOException, InterruptedException {
    NodeId leader = Leader.await(clients);
    List<NodeId> others = new ArrayList<>(nodes);
    Collections.rotate(others, -nodes.indexOf(leader));
    others.remove(leader);
    QuorateException last = null;
    for (NodeId node : others) {
      try {
        clients.transferLeader(Leader.REGION, node);
        return;
      } catch (QuorateException e) {
        // A node whose log is behind does not become the leader; another one may.
        last = e;
      }
    }
    throw new IOException("No other node than " + leader + " became the leader.", last);
  }

  private long read(KeySpace keys, int number) throws IOException {
    KeyValueCalls calls = clients.calls().get(0);
    long sent = System.nanoTime();
    try {
      calls.get(keys.key(number)).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new IOException("A read failed: " + e.getCause().getMessage(), e.getCause());
    }
    return System.nanoTime() - sent;
  }
}
