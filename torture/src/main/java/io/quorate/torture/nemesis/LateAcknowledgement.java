package io.quorate.torture.nemesis;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.agent.FailpointOrder;
import io.quorate.torture.testbed.network.Cut;
import io.quorate.torture.testbed.network.Cut.Mode;
import io.quorate.torture.testbed.network.Link;
import io.quorate.torture.testbed.network.Network;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A leader's nearest followers acknowledge entries when another node may already be the leader:
 * their responses stall after the fsync; the leader reaches only them for a moment and then no
 * node, though they reach it. Then the responses continue.
 */
final class LateAcknowledgement implements Nemesis {
  private static final int NODES_MIN = 3;

  /**
   * Time for a response to stall, and for the other nodes to receive the entry that it is about:
   * without that entry they are not elected.
   */
  private static final long STALL_MILLIS = 250;

  /** Time for a leader's clients to write entries that reach only the near followers. */
  private static final long WRITE_MILLIS = 300;

  /** Time from a new term to the end of its election. */
  private static final long ELECTION_MILLIS = 150;

  private static final Duration CATCH_UP_TIMEOUT = Duration.ofSeconds(10);

  private static final long POLL_MILLIS = 20;
  private static final int POLLS_MAX = 250;

  @Override
  public String name() {
    return "late-acknowledgement";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    if (arena.cluster().nodes().size() < NODES_MIN) {
      return Optional.of("it needs " + NODES_MIN + " nodes");
    }
    return arena.hasLeaders() ? Network.obstacle() : Optional.of("regions have no leader");
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    int region = arena.anyRegion(random);
    List<NodeProcess> nodes = Arena.shuffled(arena.running(), random);
    // A node that is behind would receive the entries in question too late.
    if (nodes.isEmpty() || !arena.awaitCaughtUp(region, nodes, CATCH_UP_TIMEOUT)) {
      return Optional.empty();
    }
    Optional<NodeId> reportedLeader = arena.leader(region);
    NodeId leader = reportedLeader.orElse(nodes.get(0).plan().id());
    long epoch = arena.epoch(region);
    List<NodeProcess> others =
        nodes.stream().filter(node -> !node.plan().id().equals(leader)).toList();
    int nearCount = Math.min(others.size(), arena.cluster().nodes().size() / 2);
    List<NodeProcess> near = others.subList(0, nearCount);
    Cut farCut = new Cut(links(leader, others.subList(nearCount, others.size())), Mode.HELD);
    Cut nearCut = new Cut(linksFrom(leader, near), Mode.HELD);

    boolean isInjected = false;
    try {
      for (NodeProcess node : near) {
        FailpointOrders.send(
            node.plan(), new FailpointOrder.StallAt(".append.before-acknowledgement"));
      }
      TimeUnit.MILLISECONDS.sleep(STALL_MILLIS);
      arena.network().cut(farCut);
      TimeUnit.MILLISECONDS.sleep(WRITE_MILLIS);
      arena.network().cut(nearCut);
      // The new leader reports that it leads when it has committed, which needs the disks.
      for (int i = 0; i < POLLS_MAX && arena.epoch(region) <= epoch; i++) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
      TimeUnit.MILLISECONDS.sleep(ELECTION_MILLIS);
      isInjected = true;
    } finally {
      if (!isInjected) {
        arena.network().restore(farCut);
        arena.network().restore(nearCut);
      }
      // A node that stayed stalled would be attributed to another fault.
      for (NodeProcess node : near) {
        FailpointOrders.withdraw(node.plan());
      }
    }
    return Optional.of(
        new Fault(
            "delayed the acknowledgements of " + Targets.names(near) + " to " + leader,
            () -> {
              arena.network().restore(farCut);
              arena.network().restore(nearCut);
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
