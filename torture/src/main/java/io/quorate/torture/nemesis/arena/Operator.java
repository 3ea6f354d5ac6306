package io.quorate.torture.nemesis.arena;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Sends the requests of an operator to the cluster. Every method blocks. */
public final class Operator {
  /** The outcome of a leadership transfer that succeeded. */
  public static final String TRANSFERRED = "done";

  /** The outcome of a change that is planned. */
  public static final String ACCEPTED = "accepted";

  /** As long as a round waits for nodes to serve: they may lose their power in the meantime. */
  private static final Duration CHANGE_TIMEOUT = Duration.ofSeconds(120);

  private static final long POLL_PAUSE_MILLIS = 200;

  /** The reply to an attempt before may have been lost, and all that followed be complete. */
  private static final String REGISTERED = "runs on the disk that is registered for it";

  private final AsyncQuorateClient client;

  public Operator(AsyncQuorateClient client) {
    this.client = client;
  }

  /** Requests a leadership transfer and describes its outcome. Blocks until it has ended. */
  public String transferLeader(int region, NodeId target) {
    try {
      client.regions().transferLeader(new GroupId(region), target).join();
      return TRANSFERRED;
    } catch (CompletionException e) {
      return e.getCause().getMessage();
    }
  }

  /** Requests the move of a replica and describes the outcome. Blocks until it is planned. */
  public String moveReplica(int region, NodeId from, NodeId to) {
    return outcome(client.regions().moveReplica(new GroupId(region), from, to));
  }

  /**
   * Requests the split of a region at a key and describes the outcome. Blocks until it is planned.
   */
  public String splitRegion(String at) {
    return outcome(client.regions().split(at.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Requests the merge of the region that begins at a key with the one before it and describes the
   * outcome. Blocks until it is planned.
   */
  public String mergeRegion(Key at) {
    return outcome(client.regions().merge(at.bytes()));
  }

  /** Drains a node and describes the outcome. Blocks until that is accepted, or cannot be. */
  public String drain(NodeId node) {
    return outcome(client.nodes().drain(node));
  }

  /** Lets a node have replicas again. Blocks until that is accepted. */
  public void undrain(NodeId node) throws IOException, InterruptedException {
    repeat("The node " + node + " stays drained", () -> client.nodes().undrain(node));
  }

  /**
   * Replaces a node whose disk was emptied. Blocks until it has its replicas again.
   *
   * @throws IOException if it has not after two minutes
   */
  public void replace(NodeProcess node) throws IOException, InterruptedException {
    String failure = failure(node);
    List<PlannedChange> changes = beginReplacement(node);
    long end = System.nanoTime() + CHANGE_TIMEOUT.toNanos();
    while (!changes.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new IOException(failure + " completely; changes left: " + changes);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
      changes = repeat(failure, () -> client.nodes().preview());
    }
  }

  /**
   * Accepts the disk of a node, which was emptied. Blocks until that is accepted.
   *
   * @return the changes that follow
   * @throws IOException if it is not for two minutes
   */
  public List<PlannedChange> beginReplacement(NodeProcess node)
      throws IOException, InterruptedException {
    NodeAddress address = new NodeAddress(ClusterPlan.HOST, node.plan().clientPort());
    return repeat(
        failure(node),
        () ->
            client
                .nodes()
                .replace(address)
                .exceptionallyCompose(
                    failure ->
                        String.valueOf(failure.getMessage()).contains(REGISTERED)
                            ? CompletableFuture.completedFuture(List.of())
                            : CompletableFuture.failedFuture(failure)));
  }

  private static String failure(NodeProcess node) {
    return "The disk of node " + node.plan().id() + " is not replaced";
  }

  private static String outcome(CompletableFuture<?> request) {
    try {
      request.join();
      return ACCEPTED;
    } catch (CompletionException e) {
      return e.getCause().getMessage();
    }
  }

  /** Repeats a request that fails because nodes are not ready yet, for two minutes. */
  private static <T> T repeat(String failure, Supplier<CompletableFuture<T>> request)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + CHANGE_TIMEOUT.toNanos();
    while (true) {
      try {
        return request.get().join();
      } catch (CompletionException e) {
        if (System.nanoTime() - end > 0) {
          throw new IOException(failure + ": " + e.getCause().getMessage(), e);
        }
      }
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
    }
  }
}
