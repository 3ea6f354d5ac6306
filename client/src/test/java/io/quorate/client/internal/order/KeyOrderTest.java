package io.quorate.client.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import io.quorate.client.WriteOutcome;
import io.quorate.model.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KeyOrderTest {
  private static final Key A = Key.utf8("a");
  private static final Key B = Key.utf8("b");

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final KeyOrder order = new KeyOrder(channel.eventLoop());
  private final List<FakeCall> writes = new ArrayList<>();
  private final List<FakeCall> reads = new ArrayList<>();

  /** A call with what it was told, and the state that a model gives it. */
  private final class FakeCall implements OrderedCall {
    final Set<Key> keys;
    final boolean isWrite;

    /** The open writes of the keys when the call began. */
    final List<FakeCall> before;

    Turn turn;
    int told;
    int toldNever;
    boolean ended;
    boolean inDoubt;
    Duration left = Duration.ofSeconds(10);

    /** Ends its turn when that comes. */
    boolean endsAtOnce;

    FakeCall(Set<Key> keys, boolean isWrite) {
      this.keys = keys;
      this.isWrite = isWrite;
      this.before =
          isWrite
              ? List.of()
              : writes.stream()
                  .filter(FakeCall::isOpen)
                  .filter(write -> write.keys.containsAll(keys))
                  .toList();
    }

    FakeCall enter() {
      turn = isWrite ? order.write(keys, this) : order.read(keys.iterator().next(), this);
      told += turn.hasCome() ? 1 : 0;
      (isWrite ? writes : reads).add(this);
      return this;
    }

    void end() {
      ended = true;
      turn.end();
    }

    FakeDoubt endInDoubt() {
      inDoubt = true;
      FakeDoubt doubt = new FakeDoubt(this);
      turn.endInDoubt(doubt);
      return doubt;
    }

    boolean isOpen() {
      return !ended && !inDoubt;
    }

    @Override
    public void turnHasCome() {
      told++;
      if (endsAtOnce) {
        end();
      }
    }

    @Override
    public void turnNeverComes(QuorateException cause) {
      toldNever++;
      end();
    }

    @Override
    public Duration left() {
      return left;
    }
  }

  private static final class FakeDoubt implements Doubt {
    final FakeCall call;
    final List<Duration> waits = new ArrayList<>();
    CompletableFuture<WriteOutcome> outcome = new CompletableFuture<>();
    Consumer<End> callback;

    FakeDoubt(FakeCall call) {
      this.call = call;
    }

    @Override
    public CompletableFuture<WriteOutcome> outcome(Duration deadline) {
      waits.add(deadline);
      outcome = new CompletableFuture<>();
      return outcome;
    }

    @Override
    public void whenEnded(Consumer<End> whenEnded) {
      callback = whenEnded;
    }

    void unknown() {
      outcome.completeExceptionally(new IndeterminateException("still unknown"));
    }

    void end(boolean isGivenUp) {
      call.inDoubt = false;
      call.ended = true;
      callback.accept(new End(isGivenUp));
    }
  }

  private FakeCall write(Key... keys) {
    return new FakeCall(Set.of(keys), true).enter();
  }

  private FakeCall read(Key key) {
    return new FakeCall(Set.of(key), false).enter();
  }

  private void run() {
    channel.runPendingTasks();
  }

  @Test
  void aBatchWaitsForEachOfItsKeys() {
    FakeCall first = write(A);
    FakeCall second = write(B);
    FakeCall batch = write(A, B);
    FakeCall after = write(B);
    first.end();
    run();
    assertThat(batch.told).isZero();
    assertThat(batch.turn.expired(Duration.ofSeconds(1)))
        .hasMessageContaining("an earlier write to \"b\" has not ended");
    second.end();
    run();
    assertThat(batch.told).isOne();
    assertThat(after.told).isZero();
    batch.end();
    run();
    assertThat(after.told).isOne();
    after.end();
    assertThat(order.keys()).isZero();
  }

  @Test
  void aReadWaitsForTheWritesBeforeItAloneAlsoIfTheLastOfThemLeaves() {
    FakeCall first = write(A);
    FakeCall second = write(A);
    FakeCall early = read(A);
    FakeCall third = write(A);
    FakeCall late = read(A);
    second.end();
    third.end();
    run();
    assertThat(early.told + late.told).isZero();
    first.endInDoubt().end(false);
    run();
    assertThat(early.told).isOne();
    assertThat(late.told).isOne();
    assertThat(order.keys()).isZero();
  }

  @Test
  void aWriteInDoubtGoesOnForAsLongAsTheNextOneMayWait() {
    FakeDoubt doubt = write(A).endInDoubt();
    run();
    assertThat(doubt.waits).isEmpty();
    FakeCall second = write(A);
    FakeCall third = write(A);
    third.left = Duration.ofSeconds(20);
    assertThat(doubt.waits).containsExactly(Duration.ofSeconds(10));
    assertThat(read(A).told).as("a read behind an open write").isZero();
    assertThat(second.turn.expired(Duration.ofSeconds(1)))
        .hasMessageContaining("the outcome of an earlier write to \"a\" is unknown");
    second.left = Duration.ofSeconds(-1);
    second.end();
    doubt.unknown();
    run();
    assertThat(doubt.waits).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(20));
    assertThat(third.told).isZero();
    doubt.end(false);
    run();
    assertThat(third.told).isOne();
  }

  @Test
  void aWriteInDoubtThatCannotGoOnIsTriedAgainAfterAPause() {
    channel.freezeTime();
    FakeDoubt doubt = write(A).endInDoubt();
    write(A);
    doubt.unknown();
    run();
    assertThat(doubt.waits).hasSize(1);
    channel.advanceTimeBy(100, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(doubt.waits).hasSize(2);
  }

  @Test
  void whatWaitsForAWriteThatIsGivenUpFailsAndLaterCallsGoAtOnce() {
    FakeDoubt doubt = write(A).endInDoubt();
    FakeCall batch = write(A, B);
    FakeCall behind = write(A);
    FakeCall other = write(B);
    doubt.end(true);
    run();
    assertThat(batch.toldNever).isOne();
    assertThat(behind.toldNever).isOne();
    assertThat(other.toldNever).isZero();
    assertThat(other.told).isOne();
    assertThat(write(A).told).isOne();
  }

  /** Any of the ways to end is a loop, not a recursion. */
  @Test
  void aHundredThousandTurnsAreNoHundredThousandFrames() {
    int count = 100_000;
    FakeCall first = write(A);
    FakeDoubt doubt = write(B).endInDoubt();
    for (int i = 0; i < count; i++) {
      write(A).endsAtOnce = true;
      write(B);
    }
    FakeCall read = read(A);
    first.end();
    doubt.end(true);
    while (read.told == 0) {
      run();
    }
    assertThat(order.keys()).isZero();
    assertThat(writes.stream().mapToInt(call -> call.toldNever).sum()).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 0})
  void turnsComeAsInAModel(long given) {
    long seed = given == 0 ? System.nanoTime() : given;
    System.out.println("Seed of the turns: " + seed);
    Random random = new Random(seed);
    List<FakeDoubt> doubts = new ArrayList<>();
    for (int step = 0; step < 3000; step++) {
      List<FakeCall> open =
          writes.stream().filter(FakeCall::isOpen).skip(random.nextInt(3)).toList();
      int action = random.nextInt(10);
      if (action < 4) {
        writeOfSome(random);
      } else if (action < 5) {
        read(Key.utf8("k" + random.nextInt(4)));
      } else if (action < 8 && !open.isEmpty()) {
        endOf(open.get(action < 7 ? 0 : random.nextInt(open.size())), random, doubts);
      } else if (!doubts.isEmpty()) {
        FakeDoubt doubt = doubts.remove(random.nextInt(doubts.size()));
        boolean isGivenUp = random.nextInt(4) == 0;
        doubt.end(isGivenUp);
      }
      run();
      check(seed, step);
      writes.removeIf(call -> call.ended);
      reads.removeIf(call -> call.told > 0);
    }
    doubts.forEach(doubt -> doubt.end(false));
    while (!writes.isEmpty()) {
      writes.stream().filter(FakeCall::isOpen).findFirst().ifPresent(FakeCall::end);
      writes.removeIf(call -> call.ended);
    }
    assertThat(order.keys()).isZero();
  }

  private void writeOfSome(Random random) {
    Set<Key> keys = new HashSet<>();
    do {
      keys.add(Key.utf8("k" + random.nextInt(4)));
    } while (random.nextInt(3) == 0);
    new FakeCall(keys, true).enter();
  }

  /** One whose turn has come may be left in doubt; any may end, as by its deadline. */
  private static void endOf(FakeCall call, Random random, List<FakeDoubt> doubts) {
    if (call.told > 0 && random.nextInt(4) == 0) {
      doubts.add(call.endInDoubt());
    } else {
      call.end();
    }
  }

  private void check(long seed, int step) {
    for (int i = 0; i < writes.size(); i++) {
      FakeCall call = writes.get(i);
      boolean isFirst =
          writes.subList(0, i).stream()
              .noneMatch(
                  before -> !before.ended && before.keys.stream().anyMatch(call.keys::contains));
      if (!call.ended) {
        assertThat(call.told).as("seed %d, step %d", seed, step).isEqualTo(isFirst ? 1 : 0);
      }
    }
    for (FakeCall read : reads) {
      boolean isDue = read.before.stream().noneMatch(FakeCall::isOpen);
      assertThat(read.told).as("seed %d, step %d", seed, step).isEqualTo(isDue ? 1 : 0);
    }
  }
}
