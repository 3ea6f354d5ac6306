package io.quorate.server.dev;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeReport;
import io.quorate.client.NodeState;
import io.quorate.client.RegionDescriptor;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Asks a cluster, as a client does, whether it serves. */
final class ServingProbe implements AutoCloseable {
  private static final Executor SOON =
      CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

  private final AsyncQuorateClient client;

  ServingProbe(ClusterPlan plan, Duration patience) {
    client =
        AsyncQuorateClient.open(
            ClientOptions.builder(plan.clientAddresses())
                .clusterId(plan.clusterId())
                .clientName("serving-probe")
                .deadline(patience)
                .weakerReads(true)
                .build());
  }

  /**
   * Completes once these nodes answer and every region has answered a read, linearizable where the
   * cluster is set up for such; fails with the client's reason when the probe's patience has passed
   * before.
   */
  CompletableFuture<Void> everyRegionAnswers(Set<NodeId> nodes) {
    return client
        .ready()
        .thenCompose(ready -> whenUp(nodes))
        .thenCompose(status -> readEach(regions(status)));
  }

  /**
   * Blocks until a node answers, whether or not its regions have a majority.
   *
   * @throws ClusterException.NotServing if it ends before, or does not within {@code patience}
   */
  void awaitUp(NodeProcess node, Duration patience) {
    NodePlan plan = node.plan();
    CompletableFuture<Void> up =
        client
            .ready()
            .thenCompose(ready -> whenUp(Set.of(plan.id())))
            .thenAccept(status -> {})
            .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS);
    try {
      CompletableFuture.anyOf(up, node.onExit()).join();
    } catch (CompletionException e) {
      throw new ClusterException.NotServing(
          "Node %s does not answer after %d s; its log is %s."
              .formatted(plan.id(), patience.toSeconds(), plan.logFile()),
          e);
    }
    if (!node.isAlive()) {
      throw new ClusterException.NotServing(
          "Node %s has ended: %s (log: %s)"
              .formatted(plan.id(), node.lastSentence(), plan.logFile()));
    }
  }

  private CompletableFuture<ClusterStatus> whenUp(Set<NodeId> nodes) {
    return client
        .status()
        .thenCompose(
            status -> {
              Set<NodeId> up =
                  status.nodes().stream()
                      .filter(NodeReport::isUp)
                      .flatMap(report -> report.id().stream())
                      .collect(Collectors.toSet());
              boolean all = up.containsAll(nodes);
              return all
                  ? CompletableFuture.completedFuture(status)
                  : CompletableFuture.supplyAsync(() -> whenUp(nodes), SOON)
                      .thenCompose(later -> later);
            });
  }

  private static List<RegionDescriptor> regions(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(report -> report.state().stream())
        .map(NodeState::regions)
        .filter(regions -> !regions.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  private CompletableFuture<Void> readEach(List<RegionDescriptor> regions) {
    return CompletableFuture.allOf(
        regions.stream()
            .map(region -> region.range().start().next())
            .map(key -> client.get(key.bytes()))
            .toArray(CompletableFuture[]::new));
  }

  @Override
  public void close() {
    client.close();
  }
}
