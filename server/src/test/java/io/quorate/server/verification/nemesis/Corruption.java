package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.disk.Damage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Kills a node, changes bytes of one of its files, and starts it. It may serve if it can tell what
 * is wrong, and may refuse to; healed by putting back what was there.
 */
final class Corruption implements Nemesis {
  private final Where where;

  /** Which bytes. */
  enum Where {
    /** Close to the end of the log that was written last. */
    LOG("corrupt-log"),
    /** Anywhere in a file of rows. */
    ROWS("corrupt-rows");

    private final String nemesis;

    Where(String nemesis) {
      this.nemesis = nemesis;
    }
  }

  Corruption(Where where) {
    this.where = where;
  }

  @Override
  public String name() {
    return where.nemesis;
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < 3
        ? Optional.of("it takes three nodes, of which a minority is corrupted")
        : Optional.empty();
  }

  @Override
  public Optional<Fault> strike(Arena arena, Random random)
      throws IOException, InterruptedException {
    List<NodeProcess> sound =
        arena.running().stream().filter(node -> !arena.isCorrupted(node)).toList();
    int corruptedMax = (arena.cluster().nodes().size() - 1) / 2;
    if (sound.isEmpty() || arena.corrupted() >= corruptedMax) {
      return Optional.empty();
    }
    NodeProcess node = Arena.shuffled(sound, random).get(0);
    node.kill();
    Optional<Damage> damage;
    try {
      damage = damage(node.plan().dataDirectory(), random);
      if (damage.isPresent()) {
        arena.corrupted(node);
      }
    } finally {
      node.start();
    }
    if (damage.isEmpty()) {
      return Optional.empty();
    }
    Damage done = damage.get();
    return Optional.of(
        new Fault(
            done + " of " + node.plan().id() + "; " + arena.reaction(node),
            () -> heal(arena, node, done)));
  }

  private Optional<Damage> damage(Path data, Random random) throws IOException {
    if (where == Where.ROWS) {
      Optional<Path> table = Damage.anyTable(data.resolve("storage"), random);
      return table.isPresent()
          ? Optional.of(Damage.flipAnywhere(table.get(), random))
          : Optional.empty();
    }
    Optional<Path> log = Damage.newestLog(data.resolve("consensus"), random);
    if (log.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        random.nextInt(3) == 0
            ? Damage.cut(log.get(), random)
            : Damage.flipInTail(log.get(), random));
  }

  private static void heal(Arena arena, NodeProcess node, Damage damage) throws IOException {
    node.kill();
    try {
      damage.undo();
    } finally {
      arena.repaired(node);
      node.start();
    }
  }
}
