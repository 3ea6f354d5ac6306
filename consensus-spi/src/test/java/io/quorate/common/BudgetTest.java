package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BudgetTest {
  private static void assertInFlight(Budget budget, int requests, long bytes) {
    assertThat(budget.requests()).isEqualTo(requests);
    assertThat(budget.bytes()).isEqualTo(bytes);
  }

  @Test
  void bothBoundsHoldAndADeniedRequestChangesNothing() {
    Budget budget = new Budget(2, 100);
    assertThat(budget.tryAcquire(101)).isFalse();
    assertThat(budget.tryAcquire(60)).isTrue();
    assertThat(budget.tryAcquire(41)).as("bytes").isFalse();
    assertThat(budget.tryAcquire(40)).isTrue();
    assertThat(budget.hasCapacity()).isFalse();
    assertThat(budget.tryAcquire(0)).as("requests").isFalse();
    assertInFlight(budget, 2, 100);

    budget.release(60);
    assertInFlight(budget, 1, 40);
    assertThat(budget.tryAcquire(60)).isTrue();
    budget.release(2, 100);
    assertInFlight(budget, 0, 0);
  }

  /** A denied request changes neither, whichever denies it. */
  @Test
  void whatIsAcquiredOfAShareIsAcquiredOfTheWhole() {
    Budget whole = new Budget(3, 100);
    Budget share = whole.share(2, 70);
    assertThat(share.tryAcquire(60)).isTrue();
    assertThat(share.tryAcquire(11)).as("the share's bytes").isFalse();
    assertThat(share.tryGrow(10)).isTrue();
    assertThat(share.hasCapacity()).isFalse();
    assertInFlight(whole, 1, 70);
    assertThat(whole.tryAcquire(30)).isTrue();
    share.release(70);
    assertThat(share.tryAcquire(70)).isTrue();
    assertThat(share.tryGrow(0)).isTrue();
    share.release(70);
    assertThat(whole.tryAcquire(50)).isTrue();
    assertThat(share.tryAcquire(30)).as("the whole's bytes").isFalse();
    assertInFlight(share, 0, 0);
    assertInFlight(whole, 2, 80);
    assertThat(share.tryAcquire(10)).isTrue();
    assertThat(share.tryGrow(20)).as("the whole's bytes").isFalse();
    share.grow(20);
    assertThat(share.hasCapacity()).as("of the whole").isFalse();
    assertInFlight(whole, 3, 110);
    assertInFlight(share, 1, 30);
  }

  @Test
  void aRequestMayHaveAnySizeIfItIsAlone() {
    Budget budget = new Budget(2, 100);
    assertThat(budget.tryAcquireAnySizeAlone(1000)).isTrue();
    assertThat(budget.tryAcquireAnySizeAlone(1)).as("not alone").isFalse();
    assertInFlight(budget, 1, 1000);

    budget.release(1000);
    assertThat(budget.tryAcquireAnySizeAlone(10)).isTrue();
    assertThat(budget.tryAcquireAnySizeAlone(91)).isFalse();
    assertThat(budget.tryAcquireAnySizeAlone(90)).isTrue();
    assertThat(budget.tryAcquireAnySizeAlone(0)).as("requests").isFalse();
  }

  @Test
  void aRequestGrowsWithinTheBoundOrBeyondIt() {
    Budget budget = new Budget(2, 100);
    budget.tryAcquire(50);
    assertThat(budget.tryGrow(51)).isFalse();
    assertThat(budget.tryGrow(50)).isTrue();
    budget.grow(50);
    assertInFlight(budget, 1, 150);
    assertThat(budget.hasCapacity()).isFalse();
    assertThat(budget.tryAcquire(0)).isFalse();
    budget.release(150);
    assertInFlight(budget, 0, 0);
  }

  @Test
  void boundsUpToTheLargestNumberDoNotOverflow() {
    Budget budget = new Budget(Integer.MAX_VALUE, Long.MAX_VALUE);
    assertThat(budget.tryAcquire(Long.MAX_VALUE)).isTrue();
    assertThat(budget.tryAcquire(1)).isFalse();
  }

  @Test
  void reportsWhenNothingIsInFlight() {
    Budget budget = new Budget(2, 100);
    assertThat(budget.whenIdle().toCompletableFuture()).isCompleted();
    budget.tryAcquire(1);
    CompletableFuture<Void> idle = budget.whenIdle().toCompletableFuture();
    budget.tryAcquire(1000);
    assertThat(idle).isNotDone();
    budget.release(1);
    assertThat(idle).isCompleted();
  }

  @Test
  void concurrentRequestsStayWithinTheBounds() throws InterruptedException {
    Budget budget = new Budget(3, 10);
    AtomicInteger acquired = new AtomicInteger();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int size = 1 + i;
      Thread thread =
          new Thread(
              () -> {
                for (int round = 0; round < 20_000; round++) {
                  if (budget.tryAcquire(size)) {
                    acquired.incrementAndGet();
                    assertThat(budget.requests()).isBetween(1, 3);
                    assertThat(budget.bytes()).isBetween((long) size, 10L);
                    budget.release(size);
                  }
                }
              });
      thread.setUncaughtExceptionHandler((failed, failure) -> failures.add(failure));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    assertThat(acquired).hasPositiveValue();
    assertInFlight(budget, 0, 0);
  }
}
