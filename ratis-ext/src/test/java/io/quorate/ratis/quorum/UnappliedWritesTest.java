package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/** The pending writes of a log; the log is a list, in which the position is the index. */
class UnappliedWritesTest {
  private final List<LogEntryProto> log = new ArrayList<>();
  private final AtomicInteger entriesRead = new AtomicInteger();
  private Runnable beforeNextRead = () -> {};
  private int firstInMemory;
  private boolean isClosed;
  private final UnappliedWrites unappliedWrites =
      new UnappliedWrites(
          new UnappliedWrites.Source() {
            @Override
            public OptionalLong lastIndex() {
              return isClosed ? OptionalLong.empty() : OptionalLong.of(log.size() - 1L);
            }

            @Override
            public Optional<LogEntryProto> inMemory(long index) {
              return index < firstInMemory ? Optional.empty() : entry(index);
            }

            @Override
            public Optional<LogEntryProto> entry(long index) {
              Runnable first = beforeNextRead;
              beforeNextRead = () -> {};
              first.run();
              entriesRead.incrementAndGet();
              return index < log.size() ? Optional.of(log.get((int) index)) : Optional.empty();
            }
          },
          List::of,
          UnappliedWritesTest::scope);

  @Test
  void theHighestUnappliedIndexIsPending() {
    append("a", "b", "a", "c");
    assertThat(pending("a", -1)).isEqualTo(2);
    assertThat(pending("b", 0)).isEqualTo(1);
    assertThat(pending("b", 1)).isEqualTo(-1);
    assertThat(pending("d", 1)).isEqualTo(-1);
  }

  /** Entries that were in the log before this process started count, too (L7). */
  @Test
  void afterARestartTheEntriesInTheLogArePending() {
    append("a", "b", "c");
    assertThat(pending("c", 0)).isEqualTo(2);
  }

  /** The position fits the writes pending beyond it, also with concurrent requests (L2). */
  @Test
  void writesAppliedMeanwhileAreCoveredByTheReportedPosition() {
    append("a", "a", "a", "b");
    pending("a", 2);
    UnappliedWrites.Pending late = call("a", 0);
    assertThat(late.applied().index()).isEqualTo(2);
    assertThat(late.positions()).containsExactly(Position.NONE);
    beforeNextRead = () -> unappliedWrites.dropApplied(new Position(1, 4));
    append("c", "a");
    late = call("c", 3);
    assertThat(late.applied().index()).isEqualTo(4);
    assertThat(late.positions()).containsExactly(Position.NONE);
    assertThat(pending("a", 3)).isEqualTo(5);
  }

  @Test
  void anEntryIsReadOnce() {
    append("a", "b");
    pending("a", -1);
    pending("b", -1);
    append("c");
    pending("a", -1);
    assertThat(entriesRead).hasValue(3);
  }

  @Test
  void anEntryAppliedBeforeTheFirstRequestIsNotRead() {
    append("a", "b", "c");
    unappliedWrites.dropApplied(new Position(1, 1));
    assertThat(pending("c", 1)).isEqualTo(2);
    assertThat(entriesRead).hasValue(1);
  }

  @Test
  void truncatedEntriesAreNotPendingAndTheirReplacementsAre() {
    append("a", "b", "b");
    pending("a", -1);
    truncate(2);
    append("a");
    assertThat(pending("b", -1)).isEqualTo(1);
    assertThat(pending("a", -1)).isEqualTo(2);
  }

  /** The entry that was read is no longer the one that is in the log. */
  @Test
  void anEntryReplacedWhileItIsReadCountsAsItsReplacement() {
    append("a", "b");
    beforeNextRead =
        () -> {
          truncate(0);
          append("c", "d");
        };
    assertThat(pending("d", -1)).isEqualTo(1);
    assertThat(pending("c", -1)).isEqualTo(0);
    assertThat(pending("a", -1)).isEqualTo(-1);
    assertThat(pending("b", -1)).isEqualTo(-1);
  }

  /** After a snapshot the log starts again, at the position of the state. */
  @Test
  void writesInASnapshotAreNotPending() {
    append("a", "b", "c");
    pending("a", -1);
    append("x", "y", "c");
    assertThat(pending("c", 4)).isEqualTo(5);
    assertThat(pending("a", 4)).isEqualTo(-1);
  }

  @Test
  void manyEntriesAreReadInTheBackground() {
    for (int i = 0; i <= UnappliedWrites.ENTRIES_AT_ONCE; i++) {
      append("a");
    }
    assertThat(unappliedWrites.pending(List.of(), Position.NONE)).isEmpty();
    assertThat(unappliedWrites.isBehind(Position.NONE)).isTrue();
    unappliedWrites.catchUp(Position.NONE);
    assertThat(pending("a", -1)).isEqualTo(UnappliedWrites.ENTRIES_AT_ONCE);
  }

  /** The requesting thread may be an event loop. */
  @Test
  void entriesThatAreNotInMemoryAreReadInTheBackground() {
    append("a", "b", "c");
    firstInMemory = 2;
    assertThat(unappliedWrites.pending(List.of(), Position.NONE)).isEmpty();
    assertThat(unappliedWrites.isBehind(Position.NONE)).isTrue();
    unappliedWrites.catchUp(Position.NONE);
    assertThat(unappliedWrites.isBehind(Position.NONE)).isFalse();
    append("a");
    assertThat(pending("b", -1)).isEqualTo(1);
    assertThat(pending("a", -1)).isEqualTo(3);
  }

  /** Its last entries may not have been read. */
  @Test
  void aClosedLogReportsNothing() {
    append("a");
    pending("a", -1);
    isClosed = true;
    assertThat(unappliedWrites.pending(List.of(), Position.NONE)).isEmpty();
    assertThat(unappliedWrites.isBehind(Position.NONE)).isFalse();
    unappliedWrites.catchUp(Position.NONE);
  }

  @Test
  void theBackgroundReadsAllEntriesThatRemain() {
    for (int i = 0; i < 3 * UnappliedWrites.ENTRIES_AT_ONCE; i++) {
      append("k" + i);
    }
    beforeNextRead = () -> truncate(2 * UnappliedWrites.ENTRIES_AT_ONCE);
    unappliedWrites.catchUp(Position.NONE);
    int last = 2 * UnappliedWrites.ENTRIES_AT_ONCE - 1;
    assertThat(pending("k" + last, -1)).isEqualTo(last);
    assertThat(pending("k" + (last + 1), -1)).isEqualTo(-1);
  }

  /** The configuration index of a read reply (L8). */
  @Test
  void theLatestConfigurationInTheLogIsReported() {
    append("a");
    configure();
    assertThat(configuration()).isEqualTo(1);
    truncate(1);
    assertThat(configuration()).isEqualTo(-1);
    append("a");
    configure();
    unappliedWrites.observeConfiguration(7);
    assertThat(configuration()).as("one that is not in the log yet").isEqualTo(2);
  }

  /** A comparison with a scan of the whole log, with random steps (L1). */
  @Test
  void agreesWithTheLogAfterEveryStep() {
    long seed = 20261122;
    Random random = new Random(seed);
    int applied = -1;
    for (int step = 0; step < 20_000; step++) {
      int choice = random.nextInt(10);
      if (choice < 5) {
        append("k" + random.nextInt(5));
      } else if (choice < 7 && log.size() > applied + 1) {
        truncate(applied + 1 + random.nextInt(log.size() - applied - 1));
      } else if (choice < 9 && log.size() > applied + 1) {
        applied += 1 + random.nextInt(log.size() - applied - 1);
      }
      if (random.nextInt(3) == 0) {
        String key = "k" + random.nextInt(5);
        int expected = -1;
        for (int index = applied + 1; index < log.size(); index++) {
          if (log.get(index).equals(entry(index, key))) {
            expected = index;
          }
        }
        assertThat(pending(key, applied)).as("seed %d, step %d", seed, step).isEqualTo(expected);
      }
    }
  }

  private long pending(String key, long applied) {
    return call(key, applied).positions().get(0).index();
  }

  private UnappliedWrites.Pending call(String key, long applied) {
    return unappliedWrites
        .pending(
            List.of(KeyScope.key(Key.utf8(key))),
            applied < 0 ? Position.NONE : new Position(1, applied))
        .orElseThrow();
  }

  private long configuration() {
    return unappliedWrites.pending(List.of(), Position.NONE).orElseThrow().configuration();
  }

  private void append(String... keys) {
    for (String key : keys) {
      log.add(entry(log.size(), key));
    }
  }

  private void configure() {
    log.add(
        LogEntryProto.newBuilder()
            .setIndex(log.size())
            .setConfigurationEntry(RaftConfigurationProto.getDefaultInstance())
            .build());
  }

  private void truncate(int first) {
    log.subList(first, log.size()).clear();
    unappliedWrites.truncated(first);
  }

  private static LogEntryProto entry(long index, String key) {
    return LogEntryProto.newBuilder()
        .setIndex(index)
        .setStateMachineLogEntry(
            StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFromUtf8(key)))
        .build();
  }

  private static KeyScope scope(ByteBuffer command) {
    return KeyScope.key(Key.utf8(StandardCharsets.UTF_8.decode(command.duplicate()).toString()));
  }
}
