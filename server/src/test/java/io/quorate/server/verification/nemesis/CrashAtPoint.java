package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.agent.PointOrder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Ends processes at moments of their own, which are named in the code; healed by starting those
 * that got there.
 */
final class CrashAtPoint implements Nemesis {
  private static final long SETTLING_MILLIS = 500;

  private final String name;
  private final Victims victims;
  private final long patienceMillis;
  private final LongFunction<PointOrder> order;

  /**
   * @param patienceMillis how long each process may take to get there, for the fault to begin with
   *     that
   * @param order by a number that may choose something
   */
  CrashAtPoint(String name, Victims victims, long patienceMillis, LongFunction<PointOrder> order) {
    this.name = name;
    this.victims = victims;
    this.patienceMillis = patienceMillis;
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
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> chosen = victims.choose(arena, random);
    if (chosen.isEmpty()) {
      return Optional.empty();
    }
    PointOrder told = order.apply(random.nextLong());
    for (NodeProcess node : chosen) {
      PointOrders.send(node.plan(), told);
    }
    for (NodeProcess node : chosen) {
      node.onExit().completeOnTimeout(node, patienceMillis, TimeUnit.MILLISECONDS).join();
    }
    return Optional.of(
        new Fault(
            "told " + Victims.names(chosen) + " to " + told.line(),
            () -> {
              for (NodeProcess node : chosen) {
                PointOrders.withdraw(node.plan());
              }
              // Whoever was at the point has ended by then.
              TimeUnit.MILLISECONDS.sleep(SETTLING_MILLIS);
              for (NodeProcess node : chosen) {
                node.start();
              }
            }));
  }
}
