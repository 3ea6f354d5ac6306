package io.quorate.torture.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The calls that the search tries next; {@link Search} explains why no others need be tried. */
final class Moves {
  /**
   * A call, or the complement of a block's first call, with its rank: the lowest is the most
   * promising.
   */
  private record Move(int move, int rank, long deadline) {}

  private static final int URGENT = 0;
  private static final int HELPFUL = 1;
  private static final int HELPFUL_IF_OPTIONAL = 2;
  private static final int REQUIRED = 3;
  private static final int OPTIONAL = 4;

  private final Problem problem;
  private final Cells cells;
  private final Blocks blocks;
  private final Configuration configuration;
  private final Pending pending;
  private final boolean oneKey;
  private final boolean[] pure;
  private final boolean[] blind;

  /** By kind: the call that was chosen last. */
  private final int[] chosen;

  /** By kind: the last iteration in which a call was chosen. */
  private final int[] chosenInIteration;

  /** By cell: the last iteration in which a call that can be next was able to observe it. */
  private final int[] observableInIteration;

  private int iteration;

  Moves(Problem problem, Cells cells, Blocks blocks, Configuration configuration) {
    this.problem = problem;
    this.cells = cells;
    this.blocks = blocks;
    this.configuration = configuration;
    pending = configuration.pending();
    oneKey = problem.isOnePlainKey();
    int calls = problem.calls().size();
    pure = new boolean[calls];
    blind = new boolean[calls];
    for (int call = 0; call < calls; call++) {
      pure[call] = problem.calls().get(call).isPure();
      blind[call] = problem.calls().get(call).accesses().stream().allMatch(Access::isBlind);
    }
    chosen = new int[pending.kinds()];
    chosenInIteration = new int[pending.kinds()];
    observableInIteration = new int[cells.count()];
  }

  boolean isPure(int call) {
    return pure[call];
  }

  /** A block that can be placed without branching. */
  Optional<Blocks.Block> certainBlock(long now) {
    if (oneKey) {
      return isReplaced(now) ? Optional.empty() : readyHead(now).map(this::blockOf);
    }
    for (int call = pending.firstRequired(now);
        call != Pending.NONE;
        call = pending.nextRequired(call, now)) {
      if (isReady(call, now) && isOverwritable(call)) {
        return Optional.of(blockOf(call));
      }
    }
    return Optional.empty();
  }

  /** Blocks that can be placed just before this call because it overwrites all their values. */
  List<Blocks.Block> overwritten(int call, long now) {
    List<Blocks.Block> ready = new ArrayList<>();
    if (oneKey || !blind[call]) {
      return ready;
    }
    for (int head = pending.firstRequired(now);
        head != Pending.NONE;
        head = pending.nextRequired(head, now)) {
      if (head != call && isReady(head, now) && keysOf(call).containsAll(keysOf(head))) {
        ready.add(blockOf(head));
      }
    }
    return ready;
  }

  private List<Integer> keysOf(int call) {
    return problem.calls().get(call).accesses().stream().map(Access::key).toList();
  }

  /** The moves to try, the most promising first: calls, and complements of blocks' first calls. */
  int[] choices(long now) {
    iteration++;
    Optional<Integer> head = oneKey ? readyHead(now) : Optional.empty();
    List<Integer> calls = requiredChoices(now);
    calls.addAll(optionalChoices(now));
    List<Move> moves = new ArrayList<>();
    for (int call : calls) {
      if (head.isEmpty() || !blind[call]) {
        moves.add(new Move(call, rank(call), problem.calls().get(call).deadline()));
      }
    }
    head.ifPresent(
        first -> moves.add(new Move(~first, REQUIRED, problem.calls().get(first).deadline())));
    moves.sort(Comparator.comparingInt(Move::rank).thenComparingLong(Move::deadline));
    return moves.stream().mapToInt(Move::move).toArray();
  }

  /** The most urgent call of each kind, in the order of their invocation. */
  private List<Integer> requiredChoices(long now) {
    List<Integer> kinds = new ArrayList<>();
    for (int call = pending.firstRequired(now);
        call != Pending.NONE;
        call = pending.nextRequired(call, now)) {
      markObservable(call);
      if (pure[call]) {
        continue;
      }
      int kind = pending.kind(call);
      if (chosenInIteration[kind] != iteration) {
        chosenInIteration[kind] = iteration;
        chosen[kind] = call;
        kinds.add(kind);
      } else if (problem.calls().get(call).deadline()
          < problem.calls().get(chosen[kind]).deadline()) {
        chosen[kind] = call;
      }
    }
    kinds.replaceAll(kind -> chosen[kind]);
    return kinds;
  }

  private List<Integer> optionalChoices(long now) {
    List<Integer> candidates = new ArrayList<>();
    for (int kind : pending.kindsWithOptional()) {
      int call = pending.nextOptional(kind);
      if (call != Pending.NONE
          && chosenInIteration[kind] != iteration
          && problem.calls().get(call).invoked() <= now) {
        candidates.add(call);
        markObservable(call);
      }
    }
    candidates.removeIf(call -> !isUseful(call));
    return candidates;
  }

  private void markObservable(int call) {
    for (int cell : configuration.constraints().observed(call)) {
      observableInIteration[cell] = iteration;
    }
  }

  private boolean isUseful(int call) {
    for (Access access : problem.calls().get(call).accesses()) {
      int cell = cells.produced(access);
      boolean useful =
          cell == Cells.NONE
              ? !access.isPure() && !configuration.monotone().isUnobservable(access.key())
              : oneKey
                  ? observableInIteration[cell] == iteration
                  : configuration.constraints().isObservable(cell);
      if (useful) {
        return true;
      }
    }
    return false;
  }

  private int rank(int call) {
    int urgent = pending.mostUrgent();
    if (call == urgent) {
      return URGENT;
    }
    boolean required = problem.calls().get(call).isRequired();
    for (Access need : problem.calls().get(urgent).accesses()) {
      for (Access access : problem.calls().get(call).accesses()) {
        if (access.key() == need.key() && helps(access, need)) {
          return required ? HELPFUL : HELPFUL_IF_OPTIONAL;
        }
      }
    }
    return required ? REQUIRED : OPTIONAL;
  }

  private boolean helps(Access access, Access need) {
    int value = configuration.value(need.key());
    if (need.after(value, problem.values()) != Values.NONE) {
      return false;
    }
    int after = access.after(value, problem.values());
    return after != Values.NONE
        && after != value
        && (access.isTransformer() || need.after(after, problem.values()) != Values.NONE);
  }

  /**
   * On a single key: whether a call that can be next observes the present value and may change it.
   */
  private boolean isReplaced(long now) {
    for (int call = pending.firstRequired(now);
        call != Pending.NONE;
        call = pending.nextRequired(call, now)) {
      if (!blind[call] && !pure[call] && configuration.accepts(call)) {
        return true;
      }
    }
    for (int kind : pending.kindsWithOptional()) {
      int call = pending.nextOptional(kind);
      if (call != Pending.NONE
          && !blind[call]
          && problem.calls().get(call).invoked() <= now
          && configuration.accepts(call)) {
        return true;
      }
    }
    return false;
  }

  private Optional<Integer> readyHead(long now) {
    for (int call = pending.firstRequired(now);
        call != Pending.NONE;
        call = pending.nextRequired(call, now)) {
      if (isReady(call, now)) {
        return Optional.of(call);
      }
    }
    return Optional.empty();
  }

  private boolean isReady(int call, long now) {
    return blocks.beginningWith(call).filter(block -> block.lastInvocation() <= now).isPresent();
  }

  private boolean isOverwritable(int head) {
    for (Access access : problem.calls().get(head).accesses()) {
      if (!configuration
          .constraints()
          .isUnobservable(access.key(), configuration.value(access.key()))) {
        return false;
      }
    }
    return true;
  }

  private Blocks.Block blockOf(int head) {
    return blocks.beginningWith(head).orElseThrow();
  }
}
