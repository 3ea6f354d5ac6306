package io.quorate.torture.checker;

import io.quorate.torture.history.Operation;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Searches depth first for an order of a problem's calls, by the method of Wing and Gong with
 * Lowe's memory of visited configurations: while calls are left, the next one is a call that was
 * invoked no later than the deadline of the most urgent one.
 *
 * <p>Not all of these calls are tried. If any order continues the present one, there is an order
 * that continues with one of the following:
 *
 * <ul>
 *   <li><b>Any call that changes nothing and can observe the present values.</b> If it is moved
 *       here from its later place, the others are unaffected.
 *   <li><b>The most urgent one of several calls of a kind.</b> If another one of the kind comes
 *       first, the two can be exchanged.
 *   <li><b>A block all of whose calls have been invoked, if no remaining call can observe the
 *       present values of its keys.</b> See {@link Blocks}: the next call on its keys, both after
 *       the block and where the block is taken away, is a blind write. On a single key a weaker
 *       condition suffices: no call that can be next observes the present value and changes it, so
 *       that the next change is a blind write anyway. If the condition does not hold, the next call
 *       is one that does so, or the first of the block.
 *   <li><b>All such blocks, if the call that is tried overwrites all their values.</b> No call
 *       comes between, so no call observes the values before the blocks.
 *   <li><b>On a single key, an optional call only if a call that can be next observes its
 *       value.</b> Otherwise the order without it is as good; see {@link Simplification}.
 * </ul>
 *
 * <p>Each of these steps leaves the same number of calls to place or fewer, so they can be applied
 * one after another. {@link ValueConstraints}, {@link MonotoneKeys} and {@link Memo} detect
 * configurations from which no order can be completed.
 */
final class Search {
  private static final class Frame {
    private final int size;
    private final int[] state;
    private final int[] moves;
    private int next;

    Frame(int size, int[] state, int[] moves) {
      this.size = size;
      this.state = state;
      this.moves = moves;
    }
  }

  private final Problem problem;
  private final SearchLimits limits;
  private final Cells cells;
  private final Blocks blocks;
  private final Configuration configuration;
  private final Pending pending;
  private final Moves moves;
  private final Memo memo = new Memo();
  private final Deque<Frame> frames = new ArrayDeque<>();
  private long entered;
  private int[] longest = new int[0];

  Search(Problem problem, SearchLimits limits) {
    this.problem = problem;
    this.limits = limits;
    cells = new Cells(problem);
    blocks = new Blocks(problem, cells);
    configuration = new Configuration(problem, cells);
    pending = configuration.pending();
    moves = new Moves(problem, cells, blocks, configuration);
  }

  Verdict run() {
    Optional<Call> impossible = impossible();
    if (impossible.isPresent()) {
      return Explanation.ofImpossible(problem, impossible.get());
    }
    boolean viable = settle();
    while (!viable || pending.mostUrgent() != Pending.NONE) {
      if (viable) {
        if (entered == limits.configurationsMax() || bytes() > limits.memoryBytesMax()) {
          return new Verdict.Unknown(problem.keys(), limitReached());
        }
        entered++;
        enter();
      }
      Optional<Frame> frame = unfinished();
      if (frame.isEmpty()) {
        return violation();
      }
      viable = tryNext(frame.get());
    }
    return new Verdict.Linearizable(
        List.of(new Verdict.Linearization(problem.keys(), configuration.operations())));
  }

  /** A call that observed a value which no call produces; it needs no search. */
  private Optional<Call> impossible() {
    return problem.calls().stream()
        .filter(Call::isRequired)
        .filter(call -> call.accesses().stream().anyMatch(cells::isImpossible))
        .findFirst();
  }

  private void enter() {
    long now = now();
    if (memo.enter(configuration.memoKey(now), pending.optionalUsed())) {
      frames.push(new Frame(configuration.size(), configuration.state(), moves.choices(now)));
    }
  }

  private Optional<Frame> unfinished() {
    while (!frames.isEmpty() && frames.peek().next == frames.peek().moves.length) {
      Frame frame = frames.pop();
      if (frame.size > longest.length) {
        longest = Arrays.copyOf(configuration.order(), frame.size);
      }
    }
    return Optional.ofNullable(frames.peek());
  }

  private boolean tryNext(Frame frame) {
    configuration.takeBack(frame.size, frame.state);
    int move = frame.moves[frame.next++];
    if (move < 0) {
      return placeAll(blocks.beginningWith(~move).orElseThrow()) && settle();
    }
    for (Blocks.Block block : moves.overwritten(move, now())) {
      if (!placeAll(block)) {
        return false;
      }
    }
    return configuration.accepts(move) && configuration.place(move) && settle();
  }

  /**
   * Places all calls that can be placed without branching.
   *
   * @return false if it is certain that not all remaining required calls can be placed
   */
  private boolean settle() {
    while (pending.mostUrgent() != Pending.NONE) {
      long now = now();
      if (!placeReads(now)) {
        Optional<Blocks.Block> block = moves.certainBlock(now);
        if (block.isEmpty()) {
          return true;
        }
        if (!placeAll(block.get())) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean placeReads(long now) {
    boolean any = false;
    for (int call = pending.firstRequired(now);
        call != Pending.NONE;
        call = pending.nextRequired(call, now)) {
      if (moves.isPure(call) && configuration.accepts(call)) {
        configuration.place(call);
        any = true;
      }
    }
    return any;
  }

  private boolean placeAll(Blocks.Block block) {
    for (int call : block.order()) {
      if (!configuration.accepts(call) || !configuration.place(call)) {
        return false;
      }
    }
    return true;
  }

  /** The approximate memory in bytes of everything that grows during the search. */
  private long bytes() {
    return memo.bytes() + problem.values().bytes();
  }

  /** The deadline of the most urgent call. */
  private long now() {
    return problem.calls().get(pending.mostUrgent()).deadline();
  }

  /** The longest order that was found; to be called after {@link #run}. */
  List<Operation> farthest() {
    goToFarthest();
    return configuration.operations();
  }

  private void goToFarthest() {
    configuration.takeBack(0, new int[problem.keys().size()]);
    for (int call : longest) {
      configuration.place(call);
    }
  }

  private Verdict violation() {
    goToFarthest();
    return new Explanation(problem, cells, configuration).violation();
  }

  private String limitReached() {
    return "Keys "
        + problem.keys()
        + " with "
        + problem.calls().size()
        + " operations: undecided after "
        + entered
        + " configurations and "
        + (bytes() >> 20)
        + " MiB; record fewer operations at a time, or raise the limits.";
  }
}
