package io.quorate.torture.nemesis;

import io.quorate.client.RegionDescriptor;
import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A node that is to receive replicas ends for good while it receives them: its process is killed
 * and its disk emptied. It receives them because one moves to it, another node is drained, or its
 * own disk is replaced. The plan has to end without it, and regions go on. Healed by replacing it.
 */
final class ReceiverEnds implements Nemesis {
  private static final Duration PLAN_TIMEOUT = Duration.ofSeconds(15);
  private static final int RECEIVING_MILLIS_MAX = 1_000;
  private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(15);

  /** Longer than a plan waits for its receiver with {@link Need#SHORT_PLANS}. */
  private static final Duration WITHDRAWN_TIMEOUT = Duration.ofSeconds(90);

  private static final Duration SERVING_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration COMPLETE_TIMEOUT = Duration.ofSeconds(120);

  /** Why a node receives replicas. */
  enum Cause {
    MOVE,
    DRAIN,
    REPLACEMENT;

    /**
     * @param moves whether a node has no replica of a region, so that replicas can move
     */
    static Cause choose(boolean moves, Random random) {
      Cause drawn = values()[random.nextInt(values().length)];
      return moves ? drawn : REPLACEMENT;
    }
  }

  @Override
  public String name() {
    return "receiver-ends";
  }

  @Override
  public Set<Need> needs() {
    return Set.of(Need.SHORT_PLANS);
  }

  @Override
  public Expectation expectation() {
    return Expectation.PROGRESS_ONCE_ESTABLISHED;
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return Nemesis.super.obstacle(arena).or(() -> DiskLoss.obstacle(arena));
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random)
      throws IOException, InterruptedException {
    Cause cause = Cause.choose(MoveReplica.obstacleOfMoves(arena).isEmpty(), random);
    List<NodeProcess> nodes = Arena.shuffled(arena.cluster().nodes(), random);
    int receivingMillis = random.nextInt(RECEIVING_MILLIS_MAX);
    if (!DiskLoss.isPossible(arena)) {
      return Optional.empty();
    }
    int copies = arena.placement().copies();
    boolean isRequested =
        switch (cause) {
          case MOVE -> move(arena, nodes, random);
          case DRAIN -> arena.operator().drain(nodes.get(0).plan().id()).equals(Operator.ACCEPTED);
          case REPLACEMENT -> replace(arena, nodes.get(0));
        };
    Predicate<NodeId> mayEnd =
        id -> cause != Cause.REPLACEMENT || id.equals(nodes.get(0).plan().id());
    Optional<NodeProcess> receiver = isRequested ? receiver(arena, mayEnd) : Optional.empty();
    if (receiver.isEmpty()) {
      restore(arena, cause, nodes.get(0), Optional.empty(), copies);
      return Optional.empty();
    }
    TimeUnit.MILLISECONDS.sleep(receivingMillis);
    NodeProcess node = receiver.get();
    DiskLoss.end(arena, node);
    NodeId id = node.plan().id();
    boolean isReceiving = arena.placement().receivers().contains(id);
    awaitElections(arena);
    return Optional.of(
        new Fault(
            String.format(
                Locale.ROOT,
                "ended %s %s replicas (%s)",
                id,
                isReceiving ? "while it received" : "after it had received",
                cause.name().toLowerCase(Locale.ROOT)),
            () -> {
              requireGoesOn(arena, id);
              restore(arena, cause, nodes.get(0), receiver, copies);
            },
            true));
  }

  /** Plans the move of a replica to the first node that has none of some region. */
  private static boolean move(Arena arena, List<NodeProcess> nodes, Random random) {
    for (NodeProcess node : nodes) {
      NodeId to = node.plan().id();
      Optional<RegionDescriptor> region =
          Arena.shuffled(arena.placement().regions(), random).stream()
              .filter(candidate -> !candidate.replicas().contains(to))
              .findFirst();
      if (region.isPresent()) {
        int id = Math.toIntExact(region.get().id().value());
        NodeId from = region.get().replicas().get(0);
        return arena.operator().moveReplica(id, from, to).equals(Operator.ACCEPTED);
      }
    }
    return false;
  }

  private static boolean replace(Arena arena, NodeProcess node)
      throws IOException, InterruptedException {
    DiskLoss.end(arena, node);
    node.start();
    arena.operator().beginReplacement(node);
    return true;
  }

  /** Waits until a plan names a node that is to receive a replica, and may end. */
  private static Optional<NodeProcess> receiver(Arena arena, Predicate<NodeId> mayEnd)
      throws InterruptedException {
    Supplier<Optional<NodeId>> receiver =
        () -> arena.placement().receivers().stream().filter(mayEnd).findFirst();
    Arena.await(() -> receiver.get().isPresent(), PLAN_TIMEOUT);
    return receiver.get().map(arena.cluster()::node);
  }

  /** Continues after a timeout: whether regions serve is judged from then on. */
  private static void awaitElections(Arena arena) {
    try {
      arena.cluster().awaitServing(ELECTION_TIMEOUT);
    } catch (ClusterException.NotServing e) {
      arena.note(e.getMessage());
    }
  }

  /** Waits until no plan names the node any more, and regions serve without it. */
  private static void requireGoesOn(Arena arena, NodeId ended)
      throws IOException, InterruptedException {
    Placement placement = arena.placement();
    if (!Arena.await(() -> !placement.receivers().contains(ended), WITHDRAWN_TIMEOUT)) {
      throw new IOException(
          "A plan still names its receiver "
              + ended
              + ", which ended: "
              + placement.planProblems());
    }
    try {
      arena.cluster().awaitServing(SERVING_TIMEOUT);
    } catch (ClusterException.NotServing e) {
      throw new IOException("Without " + ended + ", which received replicas: " + e.getMessage(), e);
    }
  }

  /** Replaces the node that ended, and lets replicas be where they were. */
  private static void restore(
      Arena arena, Cause cause, NodeProcess chosen, Optional<NodeProcess> ended, int copies)
      throws IOException, InterruptedException {
    if (cause == Cause.DRAIN) {
      arena.operator().undrain(chosen.plan().id());
    }
    if (ended.isPresent()) {
      DiskLoss.replace(arena, ended.get());
    }
    if (!arena.placement().awaitComplete(copies, COMPLETE_TIMEOUT)) {
      throw new IOException(
          "Regions do not have " + copies + " replicas again: " + arena.placement().planProblems());
    }
    arena.markRepaired(chosen);
  }
}
