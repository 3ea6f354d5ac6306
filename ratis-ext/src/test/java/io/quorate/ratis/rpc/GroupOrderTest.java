package io.quorate.ratis.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.protocol.RaftGroupId;
import org.junit.jupiter.api.Test;

class GroupOrderTest {
  private static final RaftGroupId ONE = RaftGroupId.randomId();
  private static final RaftGroupId OTHER = RaftGroupId.randomId();

  /** Tasks that were passed to a thread and have not run. */
  private final Queue<Runnable> threads = new ArrayDeque<>();

  /** The same for those that may block. */
  private final Queue<Runnable> blocking = new ArrayDeque<>();

  private final List<String> ran = new ArrayList<>();
  private boolean isClosed;
  private final GroupOrder order =
      new GroupOrder(
          task -> {
            if (isClosed) {
              throw new RejectedExecutionException("closed");
            }
            threads.add(task);
          },
          blocking::add);

  private CompletableFuture<String> submit(RaftGroupId group, String name) {
    return order.submit(
        group,
        () -> {
          ran.add(name);
          return CompletableFuture.completedFuture(name);
        });
  }

  @Test
  void aGroupHasOneTaskAtATimeInTheOrderOfSubmission() {
    submit(ONE, "a");
    CompletableFuture<String> last = submit(ONE, "b");
    assertThat(threads).hasSize(1);
    assertThat(ran).isEmpty();
    threads.remove().run();
    assertThat(ran).containsExactly("a", "b");
    assertThat(last).isCompletedWithValue("b");
    submit(ONE, "c");
    threads.remove().run();
    assertThat(ran).containsExactly("a", "b", "c");
  }

  @Test
  void aTaskThatMayBlockRunsElsewhereAndInItsOrder() {
    submit(ONE, "a");
    order.submit(
        ONE,
        new GroupOrder.Task<String>() {
          @Override
          public CompletableFuture<String> run() {
            ran.add("b");
            return CompletableFuture.completedFuture("b");
          }

          @Override
          public boolean mayBlock() {
            return true;
          }
        });
    submit(ONE, "c");
    threads.remove().run();
    assertThat(ran).containsExactly("a");
    assertThat(threads).isEmpty();
    blocking.remove().run();
    assertThat(ran).containsExactly("a", "b", "c");
  }

  @Test
  void groupsDoNotWaitForEachOther() {
    submit(ONE, "blocked");
    submit(OTHER, "free");
    threads.remove();
    threads.remove().run();
    assertThat(ran).containsExactly("free");
  }

  @Test
  void aFailedTaskDoesNotAffectTheNext() {
    CompletableFuture<String> failed =
        order.submit(
            ONE,
            () -> {
              throw new IOException("no division");
            });
    CompletableFuture<String> next = submit(ONE, "next");
    threads.remove().run();
    assertThatThrownBy(failed::join).hasRootCauseMessage("no division");
    assertThat(next).isCompletedWithValue("next");
  }

  @Test
  void anErrorDoesNotEndAGroup() {
    CompletableFuture<String> failed =
        order.submit(
            ONE,
            () -> {
              throw new AssertionError("a bug");
            });
    submit(ONE, "next");
    threads.remove().run();
    assertThatThrownBy(failed::join).hasRootCauseMessage("a bug");
    assertThat(ran).containsExactly("next");
  }

  @Test
  void withoutAThreadTasksFailAndLaterOnesRun() {
    isClosed = true;
    assertThatThrownBy(submit(ONE, "late")::join).hasMessageContaining("closing or has too much");
    isClosed = false;
    submit(ONE, "later");
    threads.remove().run();
    assertThat(ran).containsExactly("later");
  }
}
