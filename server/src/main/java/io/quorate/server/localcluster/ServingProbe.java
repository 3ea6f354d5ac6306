package io.quorate.server.localcluster;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.NodeId;
import io.quorate.model.Role;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Checks through a client whether a cluster serves. */
final class ServingProbe implements AutoCloseable {
  private static final Executor RETRY_EXECUTOR =
      CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

  private final AsyncQuorateClient client;

  ServingProbe(ClusterPlan plan, Duration timeout) {
    ClientOptions.Builder options =
        plan.clientOptions()
            .clientName("serving-probe")
            .deadline(timeout)
            .allowNonLinearizableReads(true);
    // Of a node: before the cluster serves there is no user who may do anything.
    plan.certificatesOfNode().ifPresent(options::certificates);
    client = AsyncQuorateClient.open(options.build());
  }

  /**
   * Completes when these nodes respond and every region that does not hibernate has served a read,
   * which is linearizable if the cluster is configured for it; fails with the client's error when
   * the probe's timeout expires first.
   */
  CompletableFuture<Void> whenEveryRegionServes(Set<NodeId> nodes) {
    return client
        .ready()
        .thenCompose(ready -> whenUp(nodes))
        .thenCompose(status -> whenReplicasAreOpen())
        .thenCompose(status -> readEach(regions(status)));
  }

  /** Lets a user do everything; for a cluster that serves, with certificates. */
  CompletableFuture<Void> letIn(String user) {
    return client
        .access()
        .setRole(Role.admin())
        .thenCompose(set -> client.access().setUser(user, Set.of(Role.ADMIN)));
  }

  /** A region that no node reports yet may hibernate: a read would start it. */
  private CompletableFuture<ClusterStatus> whenReplicasAreOpen() {
    return when(
        status -> {
          List<RegionDescriptor> regions = known(status);
          return !regions.isEmpty()
              && regions.stream().noneMatch(region -> status.replicas(region.id()).isEmpty());
        });
  }

  /**
   * Blocks until a node responds, whether or not its regions have a majority.
   *
   * @throws ClusterException.NotServing if it ends first, or does not respond within {@code
   *     timeout}
   */
  void awaitUp(NodeProcess node, Duration timeout) {
    NodePlan plan = node.plan();
    CompletableFuture<Void> up =
        client
            .ready()
            .thenCompose(ready -> whenUp(Set.of(plan.id())))
            .thenAccept(status -> {})
            .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    try {
      CompletableFuture.anyOf(up, node.onExit()).join();
    } catch (CompletionException e) {
      throw new ClusterException.NotServing(
          String.format(
              Locale.ROOT,
              "Node %s does not respond after %d s; its log is %s.",
              plan.id(),
              timeout.toSeconds(),
              plan.logFile()),
          e);
    }
    if (!node.isAlive()) {
      throw new ClusterException.NotServing(
          String.format(
              Locale.ROOT,
              "Node %s has ended: %s (log: %s)",
              plan.id(),
              node.lastSentence(),
              plan.logFile()));
    }
  }

  private CompletableFuture<ClusterStatus> whenUp(Set<NodeId> nodes) {
    return when(
        status ->
            status.nodes().stream()
                .filter(NodeReport::isUp)
                .flatMap(report -> report.id().stream())
                .collect(Collectors.toSet())
                .containsAll(nodes));
  }

  private CompletableFuture<ClusterStatus> when(Predicate<ClusterStatus> condition) {
    return client
        .status()
        .thenCompose(
            status ->
                condition.test(status)
                    ? CompletableFuture.completedFuture(status)
                    : CompletableFuture.supplyAsync(() -> when(condition), RETRY_EXECUTOR)
                        .thenCompose(later -> later));
  }

  private static List<RegionDescriptor> known(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(report -> report.state().stream())
        .map(NodeState::regions)
        .filter(regions -> !regions.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  private static List<RegionDescriptor> regions(ClusterStatus status) {
    return known(status).stream()
        .filter(region -> !hibernates(status.replicas(region.id())))
        .toList();
  }

  private static boolean hibernates(List<ReplicaState> replicas) {
    return !replicas.isEmpty() && replicas.stream().allMatch(ReplicaState::hibernating);
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
