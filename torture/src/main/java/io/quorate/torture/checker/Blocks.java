package io.quorate.torture.checker;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Groups of required calls that no other call depends on: a blind write and all calls that can
 * observe its values, and, on a single key, the one among them that replaces the value, with all
 * calls that can observe the new value, and so on. Wherever a block stands in an order, its calls
 * are adjacent as far as its keys are concerned; no call of the block observes the values before
 * it, and no other call observes the values after it.
 */
final class Blocks {
  /**
   * A block.
   *
   * @param order its calls, the write first
   * @param lastInvocation the latest invocation of its calls
   */
  record Block(int[] order, long lastInvocation) {}

  private final Problem problem;
  private final Cells cells;
  private final Block[] byHead;

  Blocks(Problem problem, Cells cells) {
    this.problem = problem;
    this.cells = cells;
    byHead = new Block[problem.calls().size()];
    for (int call = 0; call < byHead.length; call++) {
      if (isBlindOnPlainKeys(problem.calls().get(call))) {
        byHead[call] = block(call).orElse(null);
      }
    }
  }

  /** The block that begins with the call. */
  Optional<Block> beginningWith(int call) {
    return Optional.ofNullable(byHead[call]);
  }

  private boolean isBlindOnPlainKeys(Call call) {
    return call.isRequired()
        && call.accesses().stream()
            .allMatch(access -> access.isBlind() && problem.plain()[access.key()]);
  }

  private Optional<Block> block(int head) {
    Set<Integer> order = new LinkedHashSet<>(List.of(head));
    Optional<Integer> last = Optional.of(head);
    while (last.isPresent()) {
      List<Integer> produced = produced(last.get());
      last = Optional.empty();
      for (int cell : produced) {
        if (cells.observers(cell).isEmpty()) {
          continue;
        }
        if (cells.isInitial(cell) || cells.producers(cell).size() > 1) {
          return Optional.empty();
        }
        for (int observer : cells.observers(cell)) {
          Call call = problem.calls().get(observer);
          if (!call.isRequired() || !observesOnly(call, produced)) {
            return Optional.empty();
          }
          if (call.isPure()) {
            order.add(observer);
          } else if (problem.keys().size() > 1 || last.isPresent()) {
            return Optional.empty();
          } else {
            last = Optional.of(observer);
          }
        }
      }
      // After the calls that do not change the value.
      last.ifPresent(order::add);
    }
    return Optional.of(
        new Block(
            order.stream().mapToInt(Integer::intValue).toArray(),
            order.stream()
                .mapToLong(call -> problem.calls().get(call).invoked())
                .max()
                .getAsLong()));
  }

  private List<Integer> produced(int call) {
    return problem.calls().get(call).accesses().stream()
        .map(cells::produced)
        .filter(cell -> cell != Cells.NONE)
        .toList();
  }

  /** Whether the call can observe only one value of each of its keys, all of them produced ones. */
  private boolean observesOnly(Call call, List<Integer> produced) {
    return call.accesses().stream()
        .allMatch(
            access -> {
              int[] observed = cells.observed(access);
              return observed.length == 1
                  && problem.plain()[access.key()]
                  && Arrays.stream(observed).allMatch(produced::contains);
            });
  }
}
