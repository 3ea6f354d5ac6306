package io.quorate.replication.proposals;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Command.Source;
import io.quorate.consensus.ConsensusException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CommandQueueTest {
  private static final int COMMANDS_MAX = 10_000;
  private static final long BYTES_MAX = 64 << 20;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final CommandQueue<Write> queue = new CommandQueue<>("raft", COMMANDS_MAX, BYTES_MAX);
  private final Source ada = new Source("ada");
  private final Source bob = new Source("bob");
  private long now = -SECOND;
  private int added;

  /** What was added as the nth. */
  private record Write(Source source, int bytes, int number) implements CommandQueue.Waiting {}

  private void add(Source source, int bytes, int count) {
    for (int i = 0; i < count; i++) {
      queue.add(new Write(source, bytes, added++), now);
    }
  }

  private List<Write> poll(int count) {
    List<Write> polled = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Write next = queue.peek();
      assertThat(queue.poll(now)).isSameAs(next);
      polled.add(next);
    }
    return polled;
  }

  private Optional<ConsensusException> refusal(Source source, int bytes) {
    return queue.refusal(source, bytes, SECOND, now);
  }

  /** Drains so many commands a second for so many milliseconds, and adds as many. */
  private void run(int millis, int perMilli, Source refilled) {
    for (int i = 0; i < millis; i++) {
      now += MILLI;
      for (Write write : poll(perMilli)) {
        add(refilled, write.bytes(), 1);
      }
    }
  }

  @Test
  void commandsOfOneConnectionStayInTheirOrder() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Source> sources = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      sources.add(new Source("user" + i % 3));
    }
    Map<Source, ArrayDeque<Write>> expected = new HashMap<>();
    long bytes = 0;
    int size = 0;
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(100) < 52) {
        Write write =
            new Write(
                sources.get(random.nextInt(sources.size())), random.nextInt(300_000), added++);
        queue.add(write, now);
        expected.computeIfAbsent(write.source(), source -> new ArrayDeque<>()).add(write);
        bytes += write.bytes();
        size++;
      } else if (size > 0) {
        Write next = poll(1).get(0);
        assertThat(next).as("seed %d", seed).isSameAs(expected.get(next.source()).poll());
        bytes -= next.bytes();
        size--;
      }
      assertThat(queue.size()).as("seed %d", seed).isEqualTo(size);
      assertThat(queue.bytes()).as("seed %d", seed).isEqualTo(bytes);
    }
    while (size-- > 0) {
      Write next = poll(1).get(0);
      assertThat(next).as("seed %d", seed).isSameAs(expected.get(next.source()).poll());
    }
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.peek()).isNull();
    assertThat(queue.poll(now)).isNull();
  }

  @Test
  void whoHasManyCommandsWaitsForThemHimself() {
    add(ada, 64 << 10, 900);
    poll(10);
    add(bob, 100, 1);
    assertThat(poll(3)).extracting(Write::source).contains(bob);
  }

  @Test
  void usersTakeTurnsAndSoDoTheConnectionsOfEach() {
    List<Source> many = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      many.add(new Source("ada"));
      add(many.get(i), 1_000, 1_000);
    }
    add(bob, 1_000, 4_000);
    Map<Source, Long> polled = poll(4_000).stream().collect(groupingBy(Write::source, counting()));
    assertThat(polled.get(bob)).isBetween(1_900L, 2_100L);
    assertThat(many).allSatisfy(source -> assertThat(polled.get(source)).isBetween(180L, 260L));
  }

  @Test
  void nobodyGainsByFewLargeCommands() {
    add(bob, 1_000, 5_000);
    long bytesOfAda = 0;
    long bytesOfBob = 0;
    add(ada, 1 << 20, 1);
    for (int i = 0; i < 3_000; i++) {
      Write next = poll(1).get(0);
      if (next.source() == ada) {
        bytesOfAda += next.bytes();
        add(ada, 1 << 20, 1);
      } else {
        bytesOfBob += next.bytes();
      }
    }
    assertThat(bytesOfAda).isPositive().isLessThan(2 * bytesOfBob);
  }

  @Test
  void aCommandThatWouldWaitForTooLongIsRefusedAsItComes() {
    add(ada, 1_000, 500);
    run(300, 1, ada);
    assertThat(refusal(ada, 1_000)).as("half a second at 1,000 a second").isEmpty();
    add(ada, 1_000, 700);
    assertThat(refusal(ada, 1_000)).containsInstanceOf(ConsensusException.Overloaded.class);
    ConsensusException.Overloaded refused =
        (ConsensusException.Overloaded) refusal(ada, 1_000).orElseThrow();
    assertThat(refused).hasMessageContaining("no effect");
    assertThat(refused.retryAfter()).isBetween(Duration.ofMillis(20), Duration.ofSeconds(1));
    assertThat(refusal(bob, 1_000)).as("who waits for nobody else").isEmpty();
    assertThat(queue.refusal(Source.NODE, 1_000, Long.MAX_VALUE, now)).isEmpty();
  }

  @Test
  void whatSlowsDownIsNoticed() {
    add(ada, 1_000, 2_000);
    run(300, 10, ada);
    assertThat(refusal(ada, 1_000)).isEmpty();
    run(1_500, 1, ada);
    assertThat(refusal(ada, 1_000)).isPresent();
  }

  /** As an fsync that hangs: not even the first second is for nothing. */
  @Test
  void nothingIsAddedBehindAQueueThatHasStopped() {
    add(ada, 1_000, 1);
    now += SECOND;
    assertThat(refusal(bob, 1_000)).isEmpty();
    now += 1;
    assertThat(refusal(bob, 1_000)).containsInstanceOf(ConsensusException.Unavailable.class);
    poll(1);
    assertThat(refusal(bob, 1_000)).isEmpty();
  }

  @Test
  void aQueueThatWasEmptyForgetsHowSlowItWas() {
    add(ada, 1_000, 20);
    for (int i = 0; i < 10; i++) {
      now += SECOND / 2;
      poll(1);
    }
    assertThat(refusal(ada, 1_000)).isPresent();
    poll(10);
    add(ada, 1_000, 100);
    assertThat(refusal(ada, 1_000)).isEmpty();
  }

  @Test
  void theLastPartOfTheBoundsIsForThoseWhoHaveLittle() {
    while (refusal(ada, 8).isEmpty()) {
      add(ada, 8, 1);
    }
    assertThat(queue.size()).isEqualTo(COMMANDS_MAX - COMMANDS_MAX / 8);
    add(bob, 8, 1);
    assertThat(refusal(bob, 8)).isEmpty();
    add(bob, (int) (BYTES_MAX - queue.bytes()), 1);
    assertThat(refusal(new Source("eve"), 8).orElseThrow())
        .hasMessageContaining("raft.queue-commands-max, raft.queue-size-max");
  }

  @Test
  void aCommandMayExceedTheBoundsAlone() {
    int large = Math.toIntExact(BYTES_MAX + 1);
    assertThat(refusal(ada, large)).isEmpty();
    add(ada, 1, 1);
    assertThat(refusal(ada, large)).isPresent();
  }
}
