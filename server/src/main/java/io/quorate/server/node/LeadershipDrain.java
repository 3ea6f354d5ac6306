package io.quorate.server.node;

import io.quorate.common.Failures;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers this node's leaderships to other nodes before it stops, so that they need not wait for
 * an election timeout.
 */
final class LeadershipDrain {
  private static final Logger LOG = LoggerFactory.getLogger(LeadershipDrain.class);

  private final ClusterTopology topology;
  private final WritableNodes nodes;
  private final Duration timeout;

  /**
   * @param nodes those that accept writes, which are tried first
   * @param timeout for the transfers of each region
   */
  LeadershipDrain(ClusterTopology topology, WritableNodes nodes, Duration timeout) {
    this.topology = topology;
    this.nodes = nodes;
    this.timeout = timeout;
  }

  /**
   * Starts all transfers concurrently.
   *
   * @return completes when each has succeeded or failed; never fails itself
   */
  CompletableFuture<Void> start() {
    return nodes.refreshed().thenCompose(this::start);
  }

  private CompletableFuture<Void> start(Set<NodeId> writable) {
    List<CompletableFuture<Void>> transfers = new ArrayList<>();
    for (LocalReplica region : topology.hosted()) {
      GroupStatus view = region.group().view();
      List<NodeId> others = new ArrayList<>();
      for (Member member : view.members()) {
        if (!member.node().equals(topology.self())) {
          others.add(member.node());
        }
      }
      if (view.leader().equals(Optional.of(topology.self())) && !others.isEmpty()) {
        // Each region begins with a different target, so that one node does not receive them all.
        Collections.rotate(others, -transfers.size());
        others.sort(Comparator.comparing(node -> !writable.contains(node)));
        region
            .group()
            .control(Leadership.class)
            .ifPresent(leadership -> transfers.add(transfer(region, leadership, others)));
      }
    }
    return CompletableFuture.allOf(transfers.toArray(CompletableFuture[]::new));
  }

  /** Tries one target after the other, since some may be down. */
  private CompletableFuture<Void> transfer(
      LocalReplica region, Leadership leadership, List<NodeId> targets) {
    Duration attemptTimeout = timeout.dividedBy(targets.size());
    CompletableFuture<Boolean> transferred = CompletableFuture.completedFuture(false);
    for (NodeId target : targets) {
      transferred =
          transferred.thenCompose(
              done ->
                  done
                      ? CompletableFuture.completedFuture(true)
                      : transfer(region, leadership, target, attemptTimeout));
    }
    return transferred.thenAccept(done -> {});
  }

  private CompletionStage<Boolean> transfer(
      LocalReplica region, Leadership leadership, NodeId target, Duration attemptTimeout) {
    return leadership
        .transferTo(target, attemptTimeout)
        .handle(
            (done, failure) -> {
              LOG.atInfo()
                  .addKeyValue("region", region.assignment().id())
                  .addKeyValue("target", target)
                  .addKeyValue(
                      "outcome", failure == null ? "done" : Failures.unwrap(failure).getMessage())
                  .log("Transferring leadership");
              return failure == null;
            });
  }
}
