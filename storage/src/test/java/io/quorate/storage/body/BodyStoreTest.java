package io.quorate.storage.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class BodyStoreTest extends BodyStoreFixture {
  @Test
  void bodiesAreReadAlsoAfterARestart() throws IOException {
    open(BodyStoreOptions.DEFAULT);
    for (int length : List.of(0, 1, 100, 3_000_000)) {
      put(id(length), content(length, length)).join();
    }
    put(new BodyId(new GroupId(2), 1, 1), content(7, 10)).join();
    for (int round = 0; round < 3; round++) {
      for (int length : List.of(0, 1, 100, 3_000_000)) {
        assertThat(get(id(length))).contains(content(length, length));
        assertThat(store.length(id(length))).hasValue(length);
      }
      assertThat(store.length(id(5))).isEmpty();
      assertThat(store.bodiesOf(REGION)).hasSize(4).contains(id(100));
      assertThat(store.bodiesOf(new GroupId(3))).isEmpty();
      assertThat(get(id(5))).isEmpty();
      reopen(BodyStoreOptions.DEFAULT);
    }
    assertThat(files()).as("restarts leave no empty files").hasSizeLessThanOrEqualTo(3);
  }

  @Test
  void aBodyExistsWhenItIsDurable() throws Exception {
    open(SMALL);
    holdSyncs();
    CompletableFuture<Void> durable = put(id(1), content(1, 10));
    syncing.await();
    assertThat(durable).isNotDone();
    assertThat(store.contains(id(1))).isFalse();
    release.countDown();
    durable.join();
    assertThat(store.contains(id(1))).isTrue();
  }

  @Test
  void bodiesShareAnFsync() throws Exception {
    open(BodyStoreOptions.DEFAULT);
    holdSyncs();
    AtomicInteger syncs = new AtomicInteger();
    BodyWriter.AFTER_SYNC.on((point, records) -> syncs.incrementAndGet());
    List<CompletableFuture<Void>> pending = new ArrayList<>();
    pending.add(put(id(0), content(0, 10)));
    syncing.await();
    for (int i = 1; i <= 50; i++) {
      pending.add(put(id(i), content(i, 10)));
    }
    release.countDown();
    pending.forEach(CompletableFuture::join);
    assertThat(syncs.get()).isEqualTo(2);
  }

  @Test
  void aBodyIsReplaced() throws IOException {
    open(SMALL);
    put(id(1), content(1, 10)).join();
    put(id(1), content(2, 30)).join();
    assertThat(get(id(1))).contains(content(2, 30));
    reopen(SMALL);
    assertThat(get(id(1))).contains(content(2, 30));
    assertThat(store.bodiesOf(REGION)).hasSize(1);
  }

  /** The last record is cut at each of its bytes, as by a power failure. */
  @Test
  void aTornTailIsRemoved() throws IOException {
    open(QUIET);
    put(id(1), content(1, 20)).join();
    long complete = Files.size(lastFile());
    put(id(2), content(2, 20)).join();
    kill();
    byte[] file = Files.readAllBytes(lastFile());
    Path original = lastFile();
    byte[] state = Files.readAllBytes(directory().resolve(StoreState.FILE));
    for (int length = (int) complete; length < file.length; length++) {
      for (Path each : files()) {
        Files.delete(each);
      }
      Files.write(original, Arrays.copyOf(file, length));
      Files.write(directory().resolve(StoreState.FILE), state);
      open(QUIET);
      assertThat(get(id(1))).as("length %d", length).contains(content(1, 20));
      assertThat(get(id(2))).as("length %d", length).isEmpty();
      assertThat(store.mayHaveLost(id(2))).as("length %d", length).isFalse();
      put(id(3), content(3, 20)).join();
      reopen(QUIET);
      assertThat(get(id(3))).as("length %d", length).contains(content(3, 20));
      store.close();
    }
    store = null;
  }

  /** A power failure left its header and other records on the disk; it was not acknowledged. */
  @Test
  void aTornRecordSupersedesNoEarlierOne() throws Exception {
    open(QUIET);
    put(id(1), content(1, 100)).join();
    holdSyncs();
    CompletableFuture<Void> before = put(id(0), content(0, 100));
    syncing.await();
    List<CompletableFuture<Void>> together =
        List.of(
            put(id(1), content(2, 100)), put(id(2), content(3, 100)), put(id(3), content(4, 100)));
    release.countDown();
    before.join();
    together.forEach(CompletableFuture::join);
    kill();
    Path last = lastFile();
    flip(last, contentAt(2, 100) + 50);
    flip(last, contentAt(3, 100) + 50);
    open(QUIET);
    for (int round = 0; round < 3; round++) {
      assertThat(get(id(1))).as("start %d", round).contains(content(1, 100));
      assertThat(get(id(2))).as("start %d", round).isEmpty();
      assertThat(get(id(3))).as("start %d", round).contains(content(4, 100));
      reopen(QUIET);
    }
  }

  /** As after a failure of the directory's fsync, and a power failure. */
  @Test
  void anEmptySegmentBehindTheLastOneHidesNoTornTail() throws IOException {
    open(QUIET);
    put(id(1), content(1, 100)).join();
    put(id(2), content(2, 100)).join();
    kill();
    Path last = lastFile();
    flip(last, contentAt(1, 100) + 50);
    Files.createFile(directory().resolve("00000000000000ff.bodies"));
    open(QUIET);
    assertThat(store.contains(id(2))).isFalse();
    assertThat(get(id(1))).contains(content(1, 100));
  }

  @Test
  void readingAClosedStoreFails() throws IOException {
    open(SMALL);
    put(id(1), content(1, 10)).join();
    store.close();
    assertThatThrownBy(() -> get(id(1))).isInstanceOf(ClosedChannelException.class);
    store = null;
  }

  @Test
  void aDamagedBodyIsDetectedAndReplaced() throws IOException {
    open(BodyStoreOptions.DEFAULT);
    for (int i = 1; i <= 3; i++) {
      put(id(i), content(i, 100)).join();
    }
    flip(lastFile(), contentAt(1, 100) + 50);
    assertThat(get(id(1))).contains(content(1, 100));
    assertThatThrownBy(() -> get(id(2)))
        .isInstanceOf(DamagedBodyException.class)
        .hasMessage("Body 1.2 of region 1 is damaged in segment 1 at 190.");
    assertThat(get(id(3))).contains(content(3, 100));
    put(id(2), content(4, 100)).join();
    assertThat(get(id(2))).contains(content(4, 100));
    reopen(BodyStoreOptions.DEFAULT);
    assertThat(get(id(2))).contains(content(4, 100));
    assertThat(get(id(3))).contains(content(3, 100));
  }

  @Test
  void afterAFailedFsyncNothingIsWritten() throws IOException {
    open(SMALL);
    put(id(1), content(1, 10)).join();
    BodyWriter.BEFORE_SYNC.on(
        (point, records) -> {
          throw new IOException("the disk is gone");
        });
    CompletableFuture<Void> failed = put(id(2), content(2, 10));
    assertThatThrownBy(failed::join).hasRootCauseMessage("the disk is gone");
    await().atMost(PATIENCE).until(() -> failure.get() != null);
    assertThat(failure.get()).hasMessage("the disk is gone");
    BodyWriter.BEFORE_SYNC.off();
    assertThatThrownBy(put(id(3), content(3, 10))::join).hasRootCauseMessage("the disk is gone");
    assertThat(get(id(1))).contains(content(1, 10));
    assertThat(store.contains(id(2))).isFalse();
  }

  @Test
  void pendingBodiesAreBounded() throws Exception {
    open(new BodyStoreOptions(1000, 2, 100, 0.5, Duration.ofMinutes(1), Duration.ofMinutes(1)));
    holdSyncs();
    CompletableFuture<Void> large = put(id(1), content(1, 200));
    assertOverloaded(put(id(2), content(2, 1)));
    release.countDown();
    large.join();
    BodyWriter.BEFORE_SYNC.off();
    put(id(2), content(2, 60)).join();
    assertThat(get(id(2))).contains(content(2, 60));
  }

  private static void assertOverloaded(CompletableFuture<Void> rejected) {
    assertThatThrownBy(rejected::join).hasCauseInstanceOf(ConsensusException.Overloaded.class);
  }

  static Stream<Long> seeds() {
    return Stream.of(1L, 2L, 3L, System.nanoTime());
  }

  /** Bodies are added, replaced and removed while segments are compacted; restarts between. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theStoreHasWhatWasWritten(long seed) throws IOException {
    Random random = new Random(seed);
    Map<BodyId, byte[]> model = new HashMap<>();
    open(SMALL);
    long next = 0;
    for (int step = 0; step < 400; step++) {
      int kind = random.nextInt(20);
      List<BodyId> present = List.copyOf(model.keySet());
      if (kind < 11 || present.isEmpty()) {
        BodyId body = id(next++);
        model.put(body, content(random.nextLong(), random.nextInt(500)));
        put(body, model.get(body)).join();
      } else if (kind < 13) {
        BodyId body = present.get(random.nextInt(present.size()));
        model.put(body, content(random.nextLong(), random.nextInt(500)));
        put(body, model.get(body)).join();
      } else if (kind < 19) {
        BodyId body = present.get(random.nextInt(present.size()));
        model.remove(body);
        store.remove(List.of(body));
      } else {
        reopen(SMALL);
        assertThat(store.bodiesOf(REGION))
            .as("seed %d, step %d", seed, step)
            .containsExactlyInAnyOrderElementsOf(model.keySet());
      }
    }
    for (Map.Entry<BodyId, byte[]> entry : model.entrySet()) {
      assertThat(get(entry.getKey())).as("seed %d", seed).contains(entry.getValue());
    }
  }
}
