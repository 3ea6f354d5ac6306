package io.quorate.torture.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.disk.Damage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/**
 * Damages the bodies of large values at one node, whose log and rows stay. The node serves, and
 * restores them from the other nodes.
 *
 * <p>A body is certain to be restored only if no more nodes than may fail have lost theirs: with
 * complete copies at F + 1 nodes and nothing elsewhere, F losses are the most that leaves one. So
 * {@link Arena} designates one node, and no other one until that node has restored its bodies.
 */
final class BodyDamage implements Nemesis {
  private final Kind kind;

  /** What happens to the bodies. */
  enum Kind {
    /** The node is killed, all its bodies are removed, and it is started. */
    LOST("lost-bodies"),
    /** Bytes in each file of bodies are changed while the node runs. */
    FLIPPED("flipped-bodies");

    private final String nemesis;

    Kind(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  BodyDamage(Kind kind) {
    this.kind = kind;
  }

  @Override
  public String name() {
    return kind.nemesis;
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.codesValues()
        ? Optional.empty()
        : Optional.of("no bodies here: the preset does not code large values");
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    Optional<NodeProcess> target = arena.nodeForBodyDamage(random);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    NodeProcess node = target.get();
    Path bodies = Damage.bodies(node.plan().dataDirectory());
    return Optional.of(
        Fault.instantaneous(
            kind == Kind.LOST ? remove(arena, node, bodies) : flip(node, bodies, random)));
  }

  private static String remove(Arena arena, NodeProcess node, Path bodies)
      throws IOException, InterruptedException {
    int removed;
    node.kill();
    try {
      removed = Damage.removeAll(bodies);
    } finally {
      node.start();
    }
    return String.format(
        Locale.ROOT,
        "removed %d files of bodies of %s; %s",
        removed,
        node.plan().id(),
        arena.reaction(node));
  }

  private static String flip(NodeProcess node, Path bodies, Random random) throws IOException {
    List<String> flipped = new ArrayList<>();
    for (Path file : Damage.filesWithContent(bodies)) {
      flipped.add(Damage.flipAnywhere(file, random).toString());
    }
    return flipped + " of " + node.plan().id();
  }
}
