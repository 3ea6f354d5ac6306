package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares regions with the {@link Model} over random logs, without and with crashes. Every test
 * name contains its seed.
 */
class RandomHistoryTest {
  private static final int BATCHES = 400;

  private static final StorageOptions OPTIONS =
      TestRegion.OPTIONS.toBuilder().writeBufferBytes(64 << 10).build();

  private static final StorageOptions AHEAD =
      OPTIONS.toBuilder().replyAtCommit(true).readAcceleration(true).build();

  @TempDir Path directory;

  /** Fixed seeds, and one that is new in each run. */
  static List<Long> seeds() {
    return List.of(1L, 2L, System.nanoTime());
  }

  /** What a client proposes is compared with the model. */
  @Test
  void everyOperationThatClientsProposeOccurs() {
    Set<Operation.Kind> kinds =
        new RandomHistory(1, 10 * BATCHES)
            .batches.stream()
                .flatMap(List::stream)
                .map(request -> request.operation().kind())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Operation.Kind.class)));
    // Tests of bodies, splits, merges and digests have these.
    kinds.addAll(
        List.of(
            Operation.Kind.PUT_BODY,
            Operation.Kind.RESOLVED,
            Operation.Kind.SPLIT,
            Operation.Kind.FREEZE,
            Operation.Kind.UNFREEZE,
            Operation.Kind.ABSORB,
            Operation.Kind.DIGEST));
    assertThat(kinds).containsExactlyInAnyOrder(Operation.Kind.values());
  }

  private static List<List<CompletableFuture<Result>>> commit(
      TestRegion region, RandomHistory history, long from, long to) {
    List<List<CompletableFuture<Result>>> results = new ArrayList<>();
    for (long i = from; i < to; i++) {
      results.add(region.commitAt(i, history.batches.get((int) i)));
    }
    return results;
  }

  private static void assertSame(TestRegion region, Model model, String when) {
    assertThat(region.rows()).as(when).isEqualTo(model.rows);
    assertThat(region.store.sessionCount()).as(when).isEqualTo(model.sessions());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void resultsAndStateMatchTheModel(long seed) throws IOException {
    checkResultsAndState(seed, OPTIONS);
  }

  /**
   * Results that are completed at commit are those that the applier would produce, and reads return
   * the committed state.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void resultsAndStateMatchTheModelAheadOfTheApplier(long seed) throws IOException {
    checkResultsAndState(seed, AHEAD);
  }

  private void checkResultsAndState(long seed, StorageOptions options) throws IOException {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    Model model = history.newModel();
    try (TestRegion region = TestRegion.open(directory, options, RandomHistory.WINDOW)) {
      List<List<CompletableFuture<Result>>> results = commit(region, history, 0, BATCHES);
      for (int i = 0; i < BATCHES; i++) {
        List<Result> actual = TestRegion.results(results.get(i));
        for (int c = 0; c < actual.size(); c++) {
          ClientCommand request = history.batches.get(i).get(c);
          Result expected = model.apply(request, TestRegion.at(i));
          assertThat(actual.get(c))
              .as("seed %d, batch %d, command %d: %s", seed, i, c, request)
              .matches(
                  result -> Model.equivalent(result, expected), "is equivalent to " + expected);
        }
      }
      region.awaitApplied(BATCHES - 1);
      assertSame(region, model, "seed " + seed);
    }
    try (TestRegion region = TestRegion.open(directory, options, RandomHistory.WINDOW)) {
      assertThat(region.opened).isEqualTo(TestRegion.at(BATCHES - 1));
      assertSame(region, model, "seed " + seed + ", reopened");
    }
  }

  /** Rows, position and sessions are of one cut, and replay from there ends as without a crash. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void crashesLeaveOneCutFromWhichReplayContinues(long seed) throws IOException {
    checkCrashes(seed, OPTIONS);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void crashesWithAWriteAheadLogLeaveOneCut(long seed) throws IOException {
    checkCrashes(seed, OPTIONS.toBuilder().wal(StorageOptions.Wal.ON).build());
  }

  /** After each crash, predictions and the overlay start at the position of the state. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void crashesAheadOfTheApplierLeaveOneCut(long seed) throws IOException {
    checkCrashes(seed, AHEAD);
  }

  private void checkCrashes(long seed, StorageOptions options) throws IOException {
    Random random = new Random(seed);
    RandomHistory history = new RandomHistory(seed, BATCHES);
    Path home = directory.resolve("life-0");
    long position = -1;
    for (int life = 1; life <= 6; life++) {
      Path next = directory.resolve("life-" + life);
      long flushed;
      try (TestRegion region = TestRegion.open(home, options, RandomHistory.WINDOW)) {
        String when = "seed " + seed + ", life " + life;
        assertThat(region.opened.index()).as(when).isGreaterThanOrEqualTo(position);
        position = region.opened.index();
        assertSame(region, history.modelAt(position), when);
        long flushAt = Math.min(BATCHES, position + 1 + random.nextInt(60));
        commit(region, history, position + 1, flushAt);
        region.awaitApplied(flushAt - 1);
        flushed = random.nextBoolean() ? region.flush().index() : position;
        long crashAt = Math.min(BATCHES, flushAt + random.nextInt(60));
        commit(region, history, flushAt, crashAt);
        CrashCopy.take(region.storage, home, next);
      }
      position = flushed;
      home = next;
    }
    try (TestRegion region = TestRegion.open(home, options, RandomHistory.WINDOW)) {
      commit(region, history, region.opened.index() + 1, BATCHES);
      region.awaitApplied(BATCHES - 1);
      assertSame(region, history.modelAt(BATCHES - 1), "seed " + seed + ", at the end");
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void anInstalledSnapshotContinuesLikeTheOriginal(long seed) throws IOException {
    RandomHistory history = new RandomHistory(seed, BATCHES);
    Path exported = Files.createDirectory(directory.resolve("exported"));
    Position cut;
    try (TestRegion source =
        TestRegion.open(directory.resolve("source"), OPTIONS, RandomHistory.WINDOW)) {
      commit(source, history, 0, BATCHES / 2);
      source.awaitApplied(new Random(seed).nextInt(BATCHES / 2));
      cut = source.store.exportSnapshot(exported);
    }
    try (TestRegion target =
        TestRegion.open(directory.resolve("target"), OPTIONS, RandomHistory.WINDOW)) {
      target.store.install(exported, cut);
      assertSame(target, history.modelAt(cut.index()), "seed " + seed + ", installed");
      commit(target, history, cut.index() + 1, BATCHES);
      target.awaitApplied(BATCHES - 1);
      assertSame(target, history.modelAt(BATCHES - 1), "seed " + seed + ", at the end");
    }
  }
}
