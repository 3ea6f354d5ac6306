package io.quorate.server.placement;

import io.quorate.client.cluster.PlacementState;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.Placement;
import io.quorate.protocol.wire.v1.PlacementDecision;
import io.quorate.protocol.wire.v1.WholeRegion;
import io.quorate.server.config.PlacementConfig.Policy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last decisions of placement on this node, with their reasons and outcomes, and why regions
 * are not split. They are not stored: what is planned is in the topology, and every decision is in
 * the log of the node. Any thread; does not block.
 */
public final class DecisionLog {
  private static final Logger LOG = LoggerFactory.getLogger(DecisionLog.class);

  /** With at most a few hundred bytes each. */
  private static final int DECISIONS_MAX = 100;

  private record Decision(Instant time, PlacementEvent event, String outcome) {}

  private final Policy policy;
  private final List<Decision> newestFirst = new ArrayList<>();
  private List<PlacementState.WholeRegion> whole = List.of();
  private boolean active;

  public DecisionLog(Policy policy) {
    this.policy = policy;
  }

  /** Records whether this node places replicas and leaders. */
  synchronized void active(boolean isActive) {
    active = isActive;
  }

  /** Records which large regions are not split, and why. */
  synchronized void whole(List<PlacementState.WholeRegion> regions) {
    whole = List.copyOf(regions);
  }

  /** Records a decision, or what has become of one. */
  synchronized void record(PlacementEvent event) {
    LOG.atInfo()
        .addKeyValue("region", event.region())
        .addKeyValue("from", event.from().map(NodeId::value).orElse("-"))
        .addKeyValue("to", event.to().map(NodeId::value).orElse("-"))
        .addKeyValue("reason", event.reason())
        .log("Placement: {} {}", text(event.kind()), text(event.phase()));
    if (event.phase() == PlacementEvent.Phase.PLANNED) {
      add(new Decision(Instant.now(), event, ""));
    } else {
      String outcome = text(event.phase());
      end(event, event.reason().isEmpty() ? outcome : outcome + ": " + event.reason());
    }
  }

  /** Records what has become of a transfer. */
  synchronized void ended(Transfer transfer, Optional<String> failure) {
    PlacementEvent event = PlacementEvent.planned(transfer);
    String outcome = failure.map(reason -> "failed: " + reason).orElse("completed");
    LOG.atInfo()
        .addKeyValue("region", transfer.region())
        .addKeyValue("to", transfer.to())
        .addKeyValue("outcome", outcome)
        .log("Placement: transfer ended");
    end(event, outcome);
  }

  private void end(PlacementEvent event, String outcome) {
    for (int i = 0; i < newestFirst.size(); i++) {
      Decision decision = newestFirst.get(i);
      if (decision.outcome().isEmpty() && decision.event().isOf(event)) {
        newestFirst.set(i, new Decision(decision.time(), decision.event(), outcome));
        return;
      }
    }
    // Another node made the decision.
    add(new Decision(Instant.now(), event, outcome));
  }

  private void add(Decision decision) {
    newestFirst.add(0, decision);
    if (newestFirst.size() > DECISIONS_MAX) {
      newestFirst.remove(DECISIONS_MAX);
    }
  }

  /** The last decisions for the status; empty unless this node places replicas and leaders. */
  public synchronized Optional<Placement> report() {
    if (!active) {
      return Optional.empty();
    }
    Placement.Builder report = Placement.newBuilder().setPolicy(text(policy));
    for (Decision decision : newestFirst) {
      PlacementEvent event = decision.event();
      report.addDecisions(
          PlacementDecision.newBuilder()
              .setTimeMs(decision.time().toEpochMilli())
              .setKind(text(event.kind()))
              .setRegion(event.region().value())
              .setFrom(event.from().map(NodeId::value).orElse(""))
              .setTo(event.to().map(NodeId::value).orElse(""))
              .setReason(event.reason())
              .setOutcome(decision.outcome()));
    }
    for (PlacementState.WholeRegion region : whole) {
      report.addWholeRegions(
          WholeRegion.newBuilder()
              .setRegion(region.region().value())
              .setRowBytes(region.rowBytes())
              .setReason(region.reason()));
    }
    return Optional.of(report.build());
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
