package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.agent.PointOrder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Keeps one node, a leader or another one, from applying anything: what is committed queues up
 * before its state machine, while its log goes on.
 */
final class FullStateMachine implements Nemesis {
  private static final PointOrder ORDER = new PointOrder.StallAt("storage.apply.before-write");

  @Override
  public String name() {
    return "full-state-machine";
  }

  @Override
  public Expectation expectation() {
    return Expectation.PROGRESS_FROM_ONSET;
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random) throws IOException {
    List<NodeProcess> victim = Victims.LEADER_OR_ONE.choose(arena, random);
    if (victim.isEmpty()) {
      return Optional.empty();
    }
    PointOrders.send(victim.get(0).plan(), ORDER);
    return Optional.of(
        new Fault(
            "kept " + Victims.names(victim) + " from applying",
            () -> PointOrders.withdraw(victim.get(0).plan())));
  }
}
