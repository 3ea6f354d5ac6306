package io.quorate.server.node;

import io.quorate.consensus.Failures;
import io.quorate.consensus.GroupView;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands this node's leaderships to other nodes, so that they need not find out that it is gone. */
final class Handover {
  private static final Logger LOG = LoggerFactory.getLogger(Handover.class);

  private final ClusterMap map;
  private final Duration timeout;

  Handover(ClusterMap map, Duration timeout) {
    this.map = map;
    this.timeout = timeout;
  }

  /**
   * Starts every handover at once.
   *
   * @return completes when each has succeeded or failed; never fails itself
   */
  CompletableFuture<Void> start() {
    List<CompletableFuture<Void>> handovers = new ArrayList<>();
    for (HostedRegion region : map.hosted()) {
      GroupView view = region.group().view();
      List<NodeId> others = new ArrayList<>();
      for (Member member : view.members()) {
        if (!member.node().equals(map.self())) {
          others.add(member.node());
        }
      }
      if (view.leader().equals(Optional.of(map.self())) && !others.isEmpty()) {
        // Each region begins with a different one, so that one node does not get them all.
        Collections.rotate(others, -handovers.size());
        region
            .group()
            .control(Leadership.class)
            .ifPresent(leadership -> handovers.add(hand(region, leadership, others)));
      }
    }
    return CompletableFuture.allOf(handovers.toArray(CompletableFuture[]::new));
  }

  /** Tries one after the other: some may be down. */
  private CompletableFuture<Void> hand(
      HostedRegion region, Leadership leadership, List<NodeId> targets) {
    Duration each = timeout.dividedBy(targets.size());
    CompletableFuture<Boolean> handed = CompletableFuture.completedFuture(false);
    for (NodeId target : targets) {
      handed =
          handed.thenCompose(
              done ->
                  done
                      ? CompletableFuture.completedFuture(true)
                      : hand(region, leadership, target, each));
    }
    return handed.thenAccept(done -> {});
  }

  private CompletionStage<Boolean> hand(
      HostedRegion region, Leadership leadership, NodeId target, Duration within) {
    return leadership
        .transferTo(target, within)
        .handle(
            (done, failure) -> {
              LOG.atInfo()
                  .addKeyValue("region", region.descriptor().id())
                  .addKeyValue("target", target)
                  .addKeyValue(
                      "outcome", failure == null ? "done" : Failures.unwrap(failure).getMessage())
                  .log("Handing leadership over");
              return failure == null;
            });
  }
}
