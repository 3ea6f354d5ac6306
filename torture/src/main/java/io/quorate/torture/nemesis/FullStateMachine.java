package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Prevents one node, a leader or another one, from applying entries: committed entries queue before
 * its state machine, while its log continues.
 */
final class FullStateMachine implements Nemesis {
  private static final FailpointOrder ORDER =
      new FailpointOrder.StallAt("storage.apply.before-write");

  @Override
  public String name() {
    return "full-state-machine";
  }

  @Override
  public Expectation expectation() {
    return Expectation.PROGRESS_FROM_ONSET;
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws IOException {
    List<NodeProcess> target = Targets.LEADER_OR_ONE.choose(arena, random);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    FailpointOrders.send(target.get(0).plan(), ORDER);
    return Optional.of(
        new Fault(
            "stopped the applying of entries at " + Targets.names(target),
            () -> FailpointOrders.withdraw(target.get(0).plan())));
  }
}
