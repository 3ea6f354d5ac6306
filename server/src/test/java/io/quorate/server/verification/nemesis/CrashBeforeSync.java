package io.quorate.server.verification.nemesis;

import io.quorate.consensus.NodeId;
import io.quorate.server.dev.NodeProcess;
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
 * Whatever a leader's nearest replicas have not forced to the disk when they say that they have it
 * is lost: the others are cut off, the log of the near ones stalls before its fsync, the
 * connections to them break and come back, so that all is sent again. Then the near ones are killed
 * and the leader is cut off, and those left go on without it.
 */
final class CrashBeforeSync implements Nemesis {
  private static final int NODES_LEAST = 3;
  private static final long UNTIL_BREAK_MILLIS = 300;

  /** Enough to connect again and send again, and not for those far away to elect. */
  private static final long AFTER_BREAK_MILLIS = 1_500;

  @Override
  public String name() {
    return "crash-before-sync";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < NODES_LEAST
        ? Optional.of("it takes " + NODES_LEAST + " nodes")
        : Network.obstacle();
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    Optional<NodeProcess> leader = arena.leaderOrAny(random);
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    NodeId centre = leader.get().plan().id();
    List<NodeProcess> others =
        Arena.shuffled(arena.cluster().nodes(), random).stream()
            .filter(node -> !node.plan().id().equals(centre))
            .toList();
    int nearCount = arena.cluster().nodes().size() / 2;
    List<NodeProcess> near = others.subList(0, nearCount);
    List<NodeProcess> far = others.subList(nearCount, others.size());

    Cut farAway = new Cut(links(centre, far), Manner.HELD);
    for (NodeProcess node : near) {
      PointOrders.send(node.plan(), new PointOrder.StallAt(".log.before-sync"));
    }
    arena.network().cut(farAway);
    TimeUnit.MILLISECONDS.sleep(UNTIL_BREAK_MILLIS);
    arena.network().reset(links(centre, near));
    TimeUnit.MILLISECONDS.sleep(AFTER_BREAK_MILLIS);
    Cut alone = new Cut(links(centre, others), Manner.HELD);
    arena.network().cut(alone);
    for (NodeProcess node : near) {
      node.kill();
      PointOrders.withdraw(node.plan());
      node.start();
    }
    return Optional.of(
        new Fault(
            "killed " + Victims.names(near) + " before an fsync and cut off " + centre,
            () -> {
              arena.network().mend(farAway);
              arena.network().mend(alone);
            }));
  }

  private static Set<Link> links(NodeId centre, List<NodeProcess> others) {
    Set<Link> links = new LinkedHashSet<>();
    for (NodeProcess other : others) {
      links.add(new Link(centre, other.plan().id()));
      links.add(new Link(other.plan().id(), centre));
    }
    return links;
  }
}
