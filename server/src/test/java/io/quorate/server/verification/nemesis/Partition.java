package io.quorate.server.verification.nemesis;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.network.Cut;
import io.quorate.server.verification.network.Cut.Manner;
import io.quorate.server.verification.network.Link;
import io.quorate.server.verification.network.Network;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Cuts links between nodes; clients reach all of them. */
final class Partition implements Nemesis {
  private final Shape shape;

  /** Which links are cut. */
  enum Shape {
    /** A minority, often with a leader, from all others, both ways. */
    FULL("partition-full", 2),
    /** What a node sends to all others, or what all others send to it. */
    ONE_WAY("partition-one-way", 2),
    /** A node from another one, both ways; all others reach both. */
    PARTIAL("partition-partial", 3);

    private final String nemesis;
    private final int nodesMin;

    Shape(String nemesis, int nodesMin) {
      this.nemesis = nemesis;
      this.nodesMin = nodesMin;
    }
  }

  Partition(Shape shape) {
    this.shape = shape;
  }

  @Override
  public String name() {
    return shape.nemesis;
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < shape.nodesMin
        ? Optional.of("it takes " + shape.nodesMin + " nodes")
        : Network.obstacle();
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random) {
    List<NodeId> nodes =
        Arena.shuffled(arena.cluster().nodes(), random).stream()
            .map(node -> node.plan().id())
            .toList();
    NodeId centre =
        random.nextBoolean()
            ? nodes.get(0)
            : arena
                .leaderOrAny(random)
                .map(NodeProcess::plan)
                .map(p -> p.id())
                .orElse(nodes.get(0));
    List<NodeId> others = nodes.stream().filter(id -> !id.equals(centre)).toList();
    // A connection that is reset is so for both sides; one way only means bytes that do not come.
    Manner manner = shape == Shape.ONE_WAY || random.nextBoolean() ? Manner.HELD : Manner.RESET;
    Cut cut = new Cut(links(centre, others, random), manner);
    arena.network().cut(cut);
    return Optional.of(
        new Fault("cut " + cut.links() + " " + manner, () -> arena.network().mend(cut)));
  }

  private Set<Link> links(NodeId centre, List<NodeId> others, Random random) {
    Set<Link> links = new LinkedHashSet<>();
    switch (shape) {
      case FULL -> {
        int minority = others.size() / 2;
        // The centre and so many of the others are on its side.
        List<NodeId> side = others.subList(0, Math.max(0, minority - 1));
        List<NodeId> far = others.subList(side.size(), others.size());
        far.forEach(node -> cutBothWays(links, centre, node));
        side.forEach(near -> far.forEach(node -> cutBothWays(links, near, node)));
      }
      case ONE_WAY -> {
        boolean outgoing = random.nextBoolean();
        others.forEach(
            node -> links.add(outgoing ? new Link(centre, node) : new Link(node, centre)));
      }
      case PARTIAL -> cutBothWays(links, centre, others.get(0));
      default -> throw new IllegalStateException("No links for " + shape);
    }
    return links;
  }

  private static void cutBothWays(Set<Link> links, NodeId a, NodeId b) {
    links.add(new Link(a, b));
    links.add(new Link(b, a));
  }
}
