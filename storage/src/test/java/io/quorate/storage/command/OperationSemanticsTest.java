package io.quorate.storage.command;

import static io.quorate.storage.TestRegion.append;
import static io.quorate.storage.TestRegion.bytes;
import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.increment;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.CommittedBatch;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.TestRegion;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.read.OutOfRangeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OperationSemanticsTest {
  @TempDir Path directory;
  private TestRegion region;

  @BeforeEach
  void open() throws IOException {
    region = TestRegion.open(directory);
  }

  @AfterEach
  void close() {
    region.close();
  }

  @Test
  void putsAndDeletes() {
    assertThat(region.applyOne(put("k", "v"))).isEqualTo(Result.DONE);
    assertThat(region.get("k")).contains("v");
    assertThat(region.applyOne(put("k", ""))).isEqualTo(Result.DONE);
    assertThat(region.get("k")).contains("");
    assertThat(region.applyOne(delete("k"))).isEqualTo(Result.DONE);
    assertThat(region.get("k")).isEmpty();
    assertThat(region.applyOne(delete("k"))).isEqualTo(Result.DONE);
  }

  @Test
  void appendsToTheValueOrCreatesIt() {
    assertThat(region.apply(append("k", "ab"), append("k", "cd")))
        .containsExactly(Result.DONE, Result.DONE);
    assertThat(region.get("k")).contains("abcd");
    region.apply(append("k", ""));
    assertThat(region.get("k")).contains("abcd");
  }

  @Test
  void appendBeyondItsOwnBoundChangesNothingAndDoesNotFail() {
    String longest = "x".repeat(100);
    region.apply(append("k", longest, 100));
    assertThat(region.get("k")).contains(longest);
    assertThat(region.applyOne(append("k", "y", 100))).isEqualTo(Result.DONE);
    assertThat(region.get("k")).contains(longest);
    assertThat(region.applyOne(append("k", "y", 101))).isEqualTo(Result.DONE);
    assertThat(region.get("k")).contains(longest + "y");
    assertThat(region.applyOne(append("other", "y", 0))).isEqualTo(Result.DONE);
    assertThat(region.get("other")).isEmpty();
  }

  @Test
  void incrementsDecimalText() {
    assertThat(region.applyOne(increment("n", 5))).isEqualTo(Result.DONE);
    assertThat(region.get("n")).contains("5");
    assertThat(region.applyOne(incrementAndGet("n", -7))).isEqualTo(number(-2));
    assertThat(region.get("n")).contains("-2");
    region.apply(put("n", "007"));
    assertThat(region.applyOne(incrementAndGet("n", 0))).isEqualTo(number(7));
    assertThat(region.get("n")).contains("7");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", "+1", " 1", "1 ", "1.0", "x", "9223372036854775808", "--1"})
  void aValueThatIsNotANumberIsNotIncremented(String text) {
    region.apply(put("n", text));
    assertThat(region.applyOne(increment("n", 1))).isEqualTo(Result.DONE);
    assertThat(region.applyOne(incrementAndGet("n", 1)))
        .isEqualTo(new Result.Refused("The value is not a number."));
    assertThat(region.get("n")).contains(text);
  }

  @Test
  void sumBeyond64BitsChangesNothing() {
    String highest = Long.toString(Long.MAX_VALUE);
    String lowest = Long.toString(Long.MIN_VALUE);
    region.apply(put("high", highest), put("low", lowest));
    assertThat(region.apply(increment("high", 1), increment("low", -1))).containsOnly(Result.DONE);
    assertThat(region.apply(incrementAndGet("high", 1), incrementAndGet("low", -1)))
        .containsOnly(new Result.Refused("The sum does not fit in 64 bits."));
    assertThat(region.get("high")).contains(highest);
    assertThat(region.get("low")).contains(lowest);
    assertThat(region.applyOne(incrementAndGet("low", Long.MAX_VALUE))).isEqualTo(number(-1));
  }

  @Test
  void getAndPutReturnsTheReplacedValue() {
    assertThat(region.applyOne(getAndPut("k", "1"))).isEqualTo(new Result.Value(Optional.empty()));
    assertThat(region.applyOne(getAndPut("k", "2"))).isEqualTo(value("1"));
    assertThat(region.get("k")).contains("2");
  }

  @Test
  void compareAndSetComparesWithAValueOrItsAbsence() {
    assertThat(region.applyOne(swap(Optional.of("a"), Optional.of("b"))))
        .isEqualTo(new Result.Swap(false, Optional.empty()));
    assertThat(region.applyOne(swap(Optional.empty(), Optional.of("a"))))
        .isEqualTo(new Result.Swap(true, Optional.empty()));
    assertThat(region.applyOne(swap(Optional.empty(), Optional.of("b"))))
        .isEqualTo(new Result.Swap(false, Optional.of(bytes("a"))));
    assertThat(region.applyOne(swap(Optional.of("a"), Optional.of("b"))))
        .isEqualTo(new Result.Swap(true, Optional.empty()));
    assertThat(region.get("k")).contains("b");
    assertThat(region.applyOne(swap(Optional.of("b"), Optional.empty())))
        .isEqualTo(new Result.Swap(true, Optional.empty()));
    assertThat(region.get("k")).isEmpty();
  }

  private static Operation swap(Optional<String> expected, Optional<String> replacement) {
    return new Operation.CompareAndSet(
        Key.utf8("k"), expected.map(TestRegion::bytes), replacement.map(TestRegion::bytes));
  }

  @Test
  void batchTakesEffectInOrder() {
    region.apply(put("gone", "x"));
    assertThat(
            region.applyOne(
                new Operation.Batch(
                    List.of(
                        put("a", "1"),
                        increment("a", 2),
                        append("a", "4"),
                        delete("gone"),
                        put("b", "2")))))
        .isEqualTo(Result.DONE);
    assertThat(region.rows()).containsExactly(Map.entry("a", "34"), Map.entry("b", "2"));
  }

  @Test
  void commandsOfOneWriteSeeTheEffectsOfEarlierOnes() {
    List<CompletableFuture<Result>> first =
        region.commit(List.of(TestRegion.untagged(put("k", "1"))));
    List<CompletableFuture<Result>> second =
        region.commit(
            List.of(
                TestRegion.untagged(incrementAndGet("k", 1)),
                TestRegion.untagged(getAndPut("k", "x")),
                TestRegion.untagged(delete("k")),
                TestRegion.untagged(incrementAndGet("k", 9))));
    assertThat(TestRegion.results(first)).containsExactly(Result.DONE);
    assertThat(TestRegion.results(second))
        .containsExactly(number(2), value("2"), Result.DONE, number(9));
  }

  @Test
  void malformedCommandsAreRejectedAndTheRegionContinues() {
    ByteBuffer truncated = TestRegion.untagged(put("k", "v")).encoded();
    truncated.limit(truncated.limit() - 1);
    List<CompletableFuture<Result>> results =
        region.commitBytes(
            0,
            List.of(
                ByteBuffer.allocate(0),
                ByteBuffer.wrap(new byte[200]),
                truncated,
                TestRegion.untagged(put("k", "v")).encoded()));
    assertThat(TestRegion.results(results))
        .satisfiesExactly(
            result -> assertThat(result).isInstanceOf(Result.Refused.class),
            result -> assertThat(result).isInstanceOf(Result.Refused.class),
            result -> assertThat(result).isInstanceOf(Result.Refused.class),
            result -> assertThat(result).isEqualTo(Result.DONE));
    assertThat(region.store.applied()).isEqualTo(TestRegion.at(0));
    assertThat(region.get("k")).contains("v");
  }

  @Test
  void emptyBatchAdvancesThePosition() {
    assertThat(region.store.applied().index()).isEqualTo(-1);
    region.commitBytes(7, List.of());
    region.awaitApplied(7);
    assertThat(region.store.applied()).isEqualTo(TestRegion.at(7));
    assertThat(region.flush()).isEqualTo(TestRegion.at(7));
  }

  @Test
  void redeliveredBatchChangesNothingAndCompletes() {
    region.commitAt(5, List.of(TestRegion.untagged(put("k", "v"))));
    assertThat(TestRegion.results(region.commitAt(5, List.of(TestRegion.untagged(put("k", "w"))))))
        .containsExactly(Result.FORGOTTEN);
    assertThat(TestRegion.results(region.commitAt(4, List.of(TestRegion.untagged(put("k", "w"))))))
        .containsExactly(Result.FORGOTTEN);
    assertThat(region.get("k")).contains("v");
    assertThat(region.store.applied()).isEqualTo(TestRegion.at(5));
  }

  @Test
  void failingResultCallbackDoesNotAffectLaterResults() {
    region.store.committed(
        new CommittedBatch(
            TestRegion.at(0),
            List.of(TestRegion.untagged(put("k", "v")).encoded()),
            (i, result) -> {
              throw new IllegalStateException("broken");
            }));
    List<ClientCommand> next = List.of(TestRegion.untagged(getAndPut("k", "w")));
    assertThat(TestRegion.results(region.commitAt(1, next))).containsExactly(value("v"));
  }

  @Test
  void longKeysAndValuesAreStoredCompletely() throws IOException {
    String key = "k".repeat(Limits.KEY_BYTES_MAX);
    String large = "v".repeat(3 << 20);
    region.apply(put(key, large), put("small", "s"));
    assertThat(region.get(key)).contains(large);
    assertThat(region.get("small")).contains("s");
  }

  @Test
  void keysOutsideTheRegionAreRejected() throws IOException {
    try (TestRegion narrow =
        TestRegion.open(
            directory.resolve("narrow"),
            TestRegion.OPTIONS,
            StorageListener.NONE,
            KeyRange.of(Key.utf8("b"), Key.utf8("d")))) {
      assertThat(narrow.apply(put("a", "1"), put("b", "1"), put("c", "1"), put("d", "1")))
          .extracting(Object::getClass)
          .containsExactly(
              Result.OutOfRange.class,
              Result.Done.class,
              Result.Done.class,
              Result.OutOfRange.class);
      assertThat(narrow.applyOne(new Operation.Batch(List.of(put("c", "2"), put("d", "2")))))
          .isEqualTo(Result.OUT_OF_RANGE);
      assertThat(narrow.rows()).containsOnlyKeys("b", "c").containsEntry("c", "1");
      assertThatThrownBy(() -> narrow.get("d")).isInstanceOf(OutOfRangeException.class);
    }
    assertThat(region.applyOne(put("", "1"))).isInstanceOf(Result.Refused.class);
  }
}
