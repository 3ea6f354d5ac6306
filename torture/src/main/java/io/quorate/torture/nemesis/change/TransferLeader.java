package io.quorate.torture.nemesis.change;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Operator;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Requests a leader to transfer the leadership of its region to another node. */
public final class TransferLeader implements Nemesis {
  private static final int ATTEMPTS_MAX = 20;
  private static final long PAUSE_MILLIS = 100;

  private final Route route;

  /** Where the leadership goes. */
  public enum Route {
    AWAY("transfer-leader"),
    /** Back as soon as the other node leads, so that requests may be in flight from before. */
    AWAY_AND_BACK("transfer-and-return");

    private final String nemesis;

    Route(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  public TransferLeader(Route route) {
    this.route = route;
  }

  @Override
  public String name() {
    return route.nemesis;
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    if (arena.cluster().nodes().size() < 2) {
      return Optional.of("it needs two nodes");
    }
    return arena.hasLeaders() ? Optional.empty() : Optional.of("regions have no leader");
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws InterruptedException {
    int region = arena.anyRegion(random);
    Optional<NodePlan> leader = arena.leader(region).map(id -> arena.cluster().node(id).plan());
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    NodeId target =
        Arena.shuffled(arena.cluster().nodes(), random).stream()
            .map(node -> node.plan().id())
            .filter(id -> !id.equals(leader.get().id()))
            .findFirst()
            .orElseThrow();
    String description =
        String.format(
            Locale.ROOT,
            "leadership transfer of region %d from %s to %s: %s",
            region,
            leader.get().id(),
            target,
            arena.operator().transferLeader(region, target));
    if (route == Route.AWAY_AND_BACK) {
      description += "; and back: " + transferBack(arena, region, leader.get().id());
    }
    return Optional.of(Fault.instantaneous(description));
  }

  /** A new leader transfers nothing before it has committed an entry. */
  private static String transferBack(Arena arena, int region, NodeId target)
      throws InterruptedException {
    String outcome = arena.operator().transferLeader(region, target);
    for (int i = 1; i < ATTEMPTS_MAX && !outcome.equals(Operator.TRANSFERRED); i++) {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      outcome = arena.operator().transferLeader(region, target);
    }
    return outcome;
  }
}
