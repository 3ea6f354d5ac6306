package io.quorate.torture.nemesis;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.network.Cut;
import io.quorate.torture.testbed.network.Cut.Mode;
import io.quorate.torture.testbed.network.Link;
import io.quorate.torture.testbed.network.Network;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Cuts links between nodes; clients reach all nodes. */
final class Partition implements Nemesis {
  private final Shape shape;

  /** Which links are cut. */
  enum Shape {
    /** A minority, often with a leader, is cut from all others, in both directions. */
    FULL("partition-full", 2),
    /** The data from one node to all others is cut, or that from all others to it. */
    ONE_WAY("partition-one-way", 2),
    /** Two nodes are cut from each other, in both directions; all others reach both. */
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
        ? Optional.of("it needs " + shape.nodesMin + " nodes")
        : Network.obstacle();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) {
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
    // A reset affects both directions of a connection, so a cut of one direction holds bytes.
    Mode mode = shape == Shape.ONE_WAY || random.nextBoolean() ? Mode.HELD : Mode.RESET;
    Cut cut = new Cut(links(centre, others, random), mode);
    arena.network().cut(cut);
    return Optional.of(
        new Fault("cut " + cut.links() + " " + mode, () -> arena.network().restore(cut)));
  }

  private Set<Link> links(NodeId centre, List<NodeId> others, Random random) {
    Set<Link> links = new LinkedHashSet<>();
    switch (shape) {
      case FULL -> {
        int minority = others.size() / 2;
        // The minority consists of the centre and these nodes.
        List<NodeId> near = others.subList(0, Math.max(0, minority - 1));
        List<NodeId> far = others.subList(near.size(), others.size());
        far.forEach(node -> cutBothDirections(links, centre, node));
        near.forEach(one -> far.forEach(node -> cutBothDirections(links, one, node)));
      }
      case ONE_WAY -> {
        boolean outgoing = random.nextBoolean();
        others.forEach(
            node -> links.add(outgoing ? new Link(centre, node) : new Link(node, centre)));
      }
      case PARTIAL -> cutBothDirections(links, centre, others.get(0));
      default -> throw new IllegalStateException("No links for " + shape);
    }
    return links;
  }

  private static void cutBothDirections(Set<Link> links, NodeId a, NodeId b) {
    links.add(new Link(a, b));
    links.add(new Link(b, a));
  }
}
