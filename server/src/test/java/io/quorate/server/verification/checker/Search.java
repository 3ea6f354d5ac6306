package io.quorate.server.verification.checker;

import io.quorate.server.verification.history.Operation;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Looks for an order of a problem's calls, depth first, by the method of Wing and Gong with Lowe's
 * memory of what was tried: as long as calls are left, the next one is one of those that were
 * invoked no later than the most urgent one must take effect.
 *
 * <p>Not all of those are tried. If any order goes on from here, one does that begins as follows:
 *
 * <ul>
 *   <li><b>With any call that changes nothing and meets what it must.</b> Moved here from its place
 *       later, it changes nothing for the others.
 *   <li><b>With the most urgent one of several calls of a kind.</b> If another one of the kind
 *       comes first, they can change places.
 *   <li><b>With a block all of whose calls have begun, if nobody misses what its keys hold.</b> See
 *       {@link Blocks}: after the block, and where it is taken away, the next call on its keys
 *       writes without looking. On a single key it need not even be that nobody misses the value:
 *       it is enough that no call that can be next changes what it finds here, since then the next
 *       one writes without looking anyway. Otherwise it is either one of the former or the block.
 *   <li><b>With all such blocks, if the call that is tried would overwrite all that they leave.</b>
 *       Nobody comes between, so that nobody misses what was there before the blocks.
 *   <li><b>On a single key, with an optional call only if one that can be next finds what it
 *       leaves.</b> The call after it could otherwise do without it; see {@link Simplification}.
 * </ul>
 *
 * <p>Each of these keeps the number of calls left to place the same or lowers it, so they can be
 * applied one after another. {@link Outlook}, {@link Monotone} and {@link Memo} say where it is in
 * vain to go on.
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
    boolean hopeful = settle();
    while (!hopeful || pending.mostUrgent() != Pending.NONE) {
      if (hopeful) {
        if (entered == limits.configurations() || bytes() > limits.memoryBytes()) {
          return new Verdict.Unknown(problem.keys(), limitReached());
        }
        entered++;
        enter();
      }
      Optional<Frame> frame = unfinished();
      if (frame.isEmpty()) {
        return violation();
      }
      hopeful = tryNext(frame.get());
    }
    return new Verdict.Linearizable(
        List.of(new Verdict.Explained(problem.keys(), configuration.operations())));
  }

  /** A call that has met what nobody leaves, which needs no search. */
  private Optional<Call> impossible() {
    return problem.calls().stream()
        .filter(Call::isRequired)
        .filter(call -> call.accesses().stream().anyMatch(cells::isImpossible))
        .findFirst();
  }

  private void enter() {
    long now = now();
    if (memo.enter(configuration.place(now), pending.optionalUsed())) {
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
   * Places whatever can be placed without a choice.
   *
   * @return whether, as far as can be told, all others can still be placed
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

  /** About how much memory is taken by what grows during the search. */
  private long bytes() {
    return memo.bytes() + problem.values().bytes();
  }

  /** By when one of the calls under way must take effect. */
  private long now() {
    return problem.calls().get(pending.mostUrgent()).deadline();
  }

  /** The longest order that was found so far; to be called when the search has ended. */
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
        + " operations: no order was found, nor that there is none, in "
        + entered
        + " configurations and "
        + (bytes() >> 20)
        + " MiB; record fewer operations at a time, or raise the limits.";
  }
}
