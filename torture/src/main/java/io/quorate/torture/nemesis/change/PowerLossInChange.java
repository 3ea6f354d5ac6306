package io.quorate.torture.nemesis.change;

import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Requests a move of a replica, or a split or merge of a region, and cuts the power of the first
 * node that reaches a certain step of it: the process ends there, and data that its disk had not
 * synced is lost. Healed by starting it.
 */
public final class PowerLossInChange implements Nemesis {
  /** How long a change may take to reach a step. */
  private static final long PATIENCE_MILLIS = 15_000;

  private static final long POLL_MILLIS = 20;
  private static final long SETTLING_MILLIS = 500;

  private static final List<String> OF_EACH_CHANGE =
      List.of(
          "server.topology.before-replace",
          "server.topology.replaced",
          "server.replica.recorded",
          "server.plan.carried-out");

  private static final String OPENED = "server.replica.opened";

  private static final List<String> OF_REMOVALS =
      List.of(
          "server.replica.withdrawn", "server.replica.log-removed", "server.replica.rows-removed");

  private static final List<String> OF_SPLITS =
      List.of("storage.split.sessions-copied", "storage.split.written", OPENED);

  private static final List<String> OF_MERGES =
      List.of("storage.merge.frozen", "storage.merge.taken-over", "storage.merge.written");

  private static final List<String> UNDER_RAFT =
      List.of(
          "raft.members.before-change",
          "raft.members.joint-committed",
          "raft.members.committed",
          "raft.members.changed");

  private static final List<String> UNDER_RABIA =
      List.of("rabia.members.caught-up", "rabia.members.decided", "rabia.members.changed");

  private static final Nemesis MOVE = new MoveReplica();
  private static final Nemesis SPLIT = new SplitRegion();
  private static final Nemesis MERGE = new MergeRegion();

  @Override
  public String name() {
    return "power-loss-in-change";
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.DISKS);
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return Nemesis.super.obstacle(arena).or(() -> MOVE.obstacle(arena));
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    Nemesis requested = change(arena, random);
    List<String> steps = steps(requested, arena);
    String step = steps.get(random.nextInt(steps.size()));
    List<NodeProcess> armed = arena.running();
    for (NodeProcess node : armed) {
      FailpointOrders.send(node.plan(), new FailpointOrder.CrashAt(step));
    }
    Optional<IOException> failure = Optional.empty();
    try {
      if (requested.inject(arena, random).isPresent()) {
        awaitEnd(armed);
      }
    } catch (IOException e) {
      // A node that ends at the step, perhaps of an earlier change, does not respond.
      failure = Optional.of(e);
      awaitEnd(armed);
    } finally {
      withdraw(armed);
    }
    List<NodeProcess> ended = armed.stream().filter(node -> !node.isAlive()).toList();
    if (ended.isEmpty()) {
      if (failure.isPresent()) {
        throw failure.get();
      }
      return Optional.empty();
    }
    for (NodeProcess node : ended) {
      arena.disk(node).cutPower();
      arena.disk(node).restorePower();
    }
    return Optional.of(
        new Fault(
            String.format(Locale.ROOT, "cut the power of %s at %s", Targets.names(ended), step),
            () -> {
              for (NodeProcess node : armed) {
                node.start();
              }
            }));
  }

  /**
   * A move in half of the cases, and otherwise a split or, where regions can be merged, a merge.
   */
  private static Nemesis change(Arena arena, Random random) {
    if (random.nextBoolean()) {
      return MOVE;
    }
    boolean merges = MERGE.obstacle(arena).isEmpty() && random.nextBoolean();
    return merges && !MergeRegion.possible(arena.placement().regions()).isEmpty() ? MERGE : SPLIT;
  }

  private static List<String> steps(Nemesis change, Arena arena) {
    List<String> steps = new ArrayList<>(OF_EACH_CHANGE);
    if (change == SPLIT) {
      steps.addAll(OF_SPLITS);
      if (arena.codesValues()) {
        steps.add("storage.split.bodies-linked");
      }
    } else if (change == MERGE) {
      steps.addAll(OF_MERGES);
      steps.addAll(OF_REMOVALS);
    } else {
      steps.add(OPENED);
      steps.addAll(OF_REMOVALS);
      steps.addAll(arena.hasLeaders() ? UNDER_RAFT : UNDER_RABIA);
    }
    return steps;
  }

  private static void awaitEnd(List<NodeProcess> nodes) throws InterruptedException {
    for (long waited = 0; waited < PATIENCE_MILLIS; waited += POLL_MILLIS) {
      if (nodes.stream().anyMatch(node -> !node.isAlive())) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private static void withdraw(List<NodeProcess> nodes) throws IOException, InterruptedException {
    for (NodeProcess node : nodes) {
      FailpointOrders.withdraw(node.plan());
    }
    // A process that was at its failpoint has ended by then.
    TimeUnit.MILLISECONDS.sleep(SETTLING_MILLIS);
  }
}
