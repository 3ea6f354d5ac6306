package io.quorate.torture.nemesis.change;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.DiskLoss;
import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Operator;
import io.quorate.torture.nemesis.arena.Placement;
import io.quorate.torture.testbed.agent.FailpointOrder;
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
public final class ReceiverEnds implements Nemesis {
  private static final Duration PLAN_TIMEOUT = Duration.ofSeconds(15);
  private static final int RECEIVING_MILLIS_MAX = 1_000;
  private static final int STEP_MILLIS_MAX = 8_000;

  /** Where the node ends for which a move or a replacement is requested, in two thirds of them. */
  private static final List<String> STEPS =
      List.of("server.replica.recorded", "server.replica.opened");

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
    NodeProcess chosen = Arena.shuffled(arena.cluster().nodes(), random).get(0);
    long receivingMillis = random.nextInt(RECEIVING_MILLIS_MAX);
    Optional<String> step =
        cause == Cause.DRAIN || random.nextInt(3) == 0
            ? Optional.empty()
            : Optional.of(STEPS.get(random.nextInt(STEPS.size())));
    if (!DiskLoss.isPossible(arena)) {
      return Optional.empty();
    }
    int copies = arena.placement().copies();
    Optional<NodeProcess> receiver;
    try {
      if (!request(arena, cause, chosen, step, random)) {
        return Optional.empty();
      }
      receiver = receiver(arena, id -> cause == Cause.DRAIN || id.equals(chosen.plan().id()));
      if (receiver.isPresent()) {
        receive(receiver.get(), step.isPresent() ? STEP_MILLIS_MAX : receivingMillis);
      }
    } finally {
      FailpointOrders.withdraw(chosen.plan());
    }
    String description = "no node was to receive replicas by a " + name(cause);
    if (receiver.isPresent()) {
      description = end(arena, receiver.get(), cause);
    }
    return Optional.of(
        new Fault(
            description,
            () -> {
              if (receiver.isPresent()) {
                requireGoesOn(arena, receiver.get().plan().id());
              }
              restore(arena, cause, chosen, receiver, copies);
            },
            true));
  }

  private static String name(Cause cause) {
    return cause.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Lets the chosen node, or others in its place, receive replicas.
   *
   * @param step where the chosen node ends
   * @return whether that was accepted
   */
  private static boolean request(
      Arena arena, Cause cause, NodeProcess chosen, Optional<String> step, Random random)
      throws IOException, InterruptedException {
    NodeId id = chosen.plan().id();
    if (cause == Cause.DRAIN) {
      return arena.operator().drain(id).equals(Operator.ACCEPTED);
    }
    if (step.isPresent()) {
      FailpointOrders.send(chosen.plan(), new FailpointOrder.CrashAt(step.get()));
    }
    if (cause == Cause.REPLACEMENT) {
      DiskLoss.end(arena, chosen);
      chosen.start();
      arena.operator().beginReplacement(chosen);
      return true;
    }
    Optional<RegionDescriptor> region =
        Arena.shuffled(arena.placement().regions(), random).stream()
            .filter(candidate -> !candidate.replicas().contains(id))
            .findFirst();
    return region.isPresent()
        && arena
            .operator()
            .moveReplica(
                Math.toIntExact(region.get().id().value()), region.get().replicas().get(0), id)
            .equals(Operator.ACCEPTED);
  }

  /** Waits until a plan names a node that is to receive a replica, and may end. */
  private static Optional<NodeProcess> receiver(Arena arena, Predicate<NodeId> mayEnd)
      throws InterruptedException {
    Supplier<Optional<NodeId>> receiver =
        () -> arena.placement().receivers().stream().filter(mayEnd).findFirst();
    Arena.await(() -> receiver.get().isPresent(), PLAN_TIMEOUT);
    return receiver.get().map(arena.cluster()::node);
  }

  /** Lets a node receive for some time, or until it ends. */
  private static void receive(NodeProcess node, long millisMax) {
    node.onExit().completeOnTimeout(node, millisMax, TimeUnit.MILLISECONDS).join();
  }

  /** Ends a receiver for good, and describes when. */
  private static String end(Arena arena, NodeProcess node, Cause cause) throws IOException {
    NodeId id = node.plan().id();
    boolean isAtStep = !node.isAlive();
    boolean isReceiving = isAtStep || arena.placement().receivers().contains(id);
    DiskLoss.end(arena, node);
    awaitElections(arena);
    return String.format(
        Locale.ROOT,
        "ended %s %s replicas (%s%s)",
        id,
        isReceiving ? "while it received" : "after it had received",
        name(cause),
        isAtStep ? ", at a step of it" : "");
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
