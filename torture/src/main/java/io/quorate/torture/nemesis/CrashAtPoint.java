package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/** Ends processes at failpoints; healed by starting those that have reached theirs. */
final class CrashAtPoint implements Nemesis {
  private static final long SETTLING_MILLIS = 500;

  private final String name;
  private final Targets targets;
  private final long timeoutMillis;
  private final LongFunction<FailpointOrder> order;

  /**
   * @param timeoutMillis how long the injection waits for each process to end
   * @param order creates the order; its parameter is a seed
   */
  CrashAtPoint(
      String name, Targets targets, long timeoutMillis, LongFunction<FailpointOrder> order) {
    this.name = name;
    this.targets = targets;
    this.timeoutMillis = timeoutMillis;
    this.order = order;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return Optional.empty();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> chosen = targets.choose(arena, random);
    if (chosen.isEmpty()) {
      return Optional.empty();
    }
    FailpointOrder sent = order.apply(random.nextLong());
    for (NodeProcess node : chosen) {
      FailpointOrders.send(node.plan(), sent);
    }
    for (NodeProcess node : chosen) {
      node.onExit().completeOnTimeout(node, timeoutMillis, TimeUnit.MILLISECONDS).join();
    }
    return Optional.of(
        new Fault(
            "sent to " + Targets.names(chosen) + ": " + sent.line(),
            () -> {
              for (NodeProcess node : chosen) {
                FailpointOrders.withdraw(node.plan());
              }
              // A process that was at its failpoint has ended by then.
              TimeUnit.MILLISECONDS.sleep(SETTLING_MILLIS);
              for (NodeProcess node : chosen) {
                node.start();
              }
            }));
  }
}
