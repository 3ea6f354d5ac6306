package io.quorate.server.verification.nemesis;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.agent.PointOrder;
import io.quorate.server.verification.network.Cut;
import io.quorate.server.verification.network.Cut.Manner;
import io.quorate.server.verification.network.Link;
import io.quorate.server.verification.network.Network;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A leader's nearest replicas acknowledge entries when another one leads already: the log of those
 * stalls before its fsync, the leader reaches only them for a moment and then nobody, though all of
 * them reach it; the others elect with the votes of the near ones. Then the disks go on.
 */
final class LateAcknowledgement implements Nemesis {
  private static final int NODES_MIN = 3;

  /**
   * Time for a log to stall. What comes behind must still be sent, and a leader sends little that
   * is not acknowledged.
   */
  private static final long STALL_MILLIS = 60;

  /** Time for a leader's clients to write something that reaches only the near ones. */
  private static final long WRITE_MILLIS = 300;

  private static final long LOOK_MILLIS = 20;
  private static final int LOOKS_MAX = 250;

  @Override
  public String name() {
    return "late-acknowledgement";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    if (arena.cluster().nodes().size() < NODES_MIN) {
      return Optional.of("it takes " + NODES_MIN + " nodes");
    }
    return arena.hasLeaders() ? Network.obstacle() : Optional.of("regions have no leader");
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    int region = arena.anyRegion(random);
    List<NodeProcess> nodes = Arena.shuffled(arena.running(), random);
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    Optional<NodeId> leads = arena.leader(region);
    NodeId leader = leads.orElse(nodes.get(0).plan().id());
    List<NodeProcess> others =
        nodes.stream().filter(node -> !node.plan().id().equals(leader)).toList();
    int nearCount = Math.min(others.size(), arena.cluster().nodes().size() / 2);
    List<NodeProcess> near = others.subList(0, nearCount);
    Cut fromTheFar = new Cut(links(leader, others.subList(nearCount, others.size())), Manner.HELD);
    Cut toTheNear = new Cut(linksFrom(leader, near), Manner.HELD);

    try {
      for (NodeProcess node : near) {
        PointOrders.send(node.plan(), new PointOrder.StallAt(".log.before-sync"));
      }
      TimeUnit.MILLISECONDS.sleep(STALL_MILLIS);
      arena.network().cut(fromTheFar);
      TimeUnit.MILLISECONDS.sleep(WRITE_MILLIS);
      arena.network().cut(toTheNear);
      // At once: the leader gives up soon, since nobody answers what it asks.
      for (int i = 0; i < LOOKS_MAX && arena.leader(region).equals(leads); i++) {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
    } finally {
      // A log that stalls for ever would be taken for another fault's doing.
      for (NodeProcess node : near) {
        PointOrders.withdraw(node.plan());
      }
    }
    return Optional.of(
        new Fault(
            "let " + leader + " hear late what " + Victims.names(near) + " had of its entries",
            () -> {
              arena.network().mend(fromTheFar);
              arena.network().mend(toTheNear);
            }));
  }

  private static Set<Link> links(NodeId centre, List<NodeProcess> others) {
    Set<Link> links = linksFrom(centre, others);
    others.forEach(other -> links.add(new Link(other.plan().id(), centre)));
    return links;
  }

  private static Set<Link> linksFrom(NodeId centre, List<NodeProcess> others) {
    Set<Link> links = new LinkedHashSet<>();
    others.forEach(other -> links.add(new Link(centre, other.plan().id())));
    return links;
  }
}
