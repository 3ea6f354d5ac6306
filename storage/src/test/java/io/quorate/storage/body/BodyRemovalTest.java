package io.quorate.storage.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Budget;
import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Removed bodies stay away, and their space is returned by compaction. */
@Timeout(60)
class BodyRemovalTest extends BodyStoreFixture {
  @Test
  void removedBodiesAreGoneAlsoAfterARestart() throws IOException {
    open(SMALL);
    put(id(1), content(1, 10)).join();
    put(id(2), content(2, 10)).join();
    store.remove(List.of(id(1), id(9)));
    await().atMost(PATIENCE).until(() -> !store.contains(id(1)));
    reopen(SMALL);
    assertThat(get(id(1))).isEmpty();
    assertThat(get(id(2))).contains(content(2, 10));
  }

  /** Otherwise a power failure would bring them back, and nothing would remove them again. */
  @Test
  void theBodiesOfARegionAreRemovedDurably() throws Exception {
    open(SMALL);
    put(id(1), content(1, 10)).join();
    put(id(2), content(2, 10)).join();
    BodyId other = new BodyId(new GroupId(99), 1, 0);
    put(other, content(3, 10)).join();
    holdSyncs();
    CompletableFuture<Void> removed = store.removeAll(REGION);
    syncing.await();
    assertThat(removed).isNotDone();
    assertThat(store.contains(id(1))).isTrue();
    release.countDown();
    removed.join();
    assertThat(store.bodiesOf(REGION)).isEmpty();
    assertThat(store.contains(other)).isTrue();
  }

  /** It may be repeated, since what is to be removed is found still. */
  @Test
  void aBodyThatWaitsForItsFsyncIsRemovedWithItsRegion() throws Exception {
    open(SMALL);
    holdSyncs();
    CompletableFuture<Void> put = put(id(1), content(1, 100));
    syncing.await();
    CompletableFuture<Void> removed = store.removeAll(REGION);
    release.countDown();
    put.join();
    removed.join();
    assertThat(store.bodiesOf(REGION)).isEmpty();
    reopen(SMALL);
    assertThat(store.bodiesOf(REGION)).isEmpty();
  }

  @Test
  void theBodiesOfARegionStayIfTheRemovalFails() throws IOException {
    open(SMALL);
    put(id(1), content(1, 10)).join();
    BodyWriter.BEFORE_SYNC.on(
        (point, records) -> {
          throw new IOException("the disk is gone");
        });
    assertThatThrownBy(store.removeAll(REGION)::join).hasRootCauseMessage("the disk is gone");
    assertThat(store.contains(id(1))).isTrue();
  }

  /** Compaction copies a body that is replaced meanwhile. */
  @Test
  void aCopyDoesNotFollowAReplacement() throws Exception {
    open(SMALL);
    for (int i = 0; i < 3; i++) {
      put(id(i), content(i, 300)).join();
    }
    put(id(3), content(3, 10)).join();
    holdSyncs();
    store.remove(List.of(id(0), id(1)));
    CompletableFuture<Void> blocking = put(id(4), content(4, 10));
    syncing.await();
    CompletableFuture<Void> replacement = put(id(2), content(5, 300));
    release.countDown();
    CompletableFuture.allOf(blocking, replacement).join();
    await().atMost(PATIENCE).until(() -> !Files.exists(directory().resolve(FIRST)));
    BodyWriter.BEFORE_SYNC.off();
    assertThat(get(id(2))).contains(content(5, 300));
    reopen(SMALL);
    assertThat(get(id(2))).contains(content(5, 300));
  }

  /** Compaction copies a body that is being removed: the copy would be found at the next start. */
  @Test
  void aCopyDoesNotFollowADurableRemoval() throws Exception {
    BodyIndex index = new BodyIndex();
    BodySegments segments = BodySegments.open(directory(), 1000, index, false);
    BodyWriter writer =
        new BodyWriter(
            segments, index, new Budget(100, 1 << 20), SMALL, garbage -> {}, failure::set);
    Thread thread = new Thread(writer);
    thread.start();
    byte[] bytes = content(1, 300);
    writer.write(id(1), List.of(ByteBuffer.wrap(bytes)), 0).join();
    holdSyncs();
    BodyId other = new BodyId(new GroupId(2), 1, 2);
    CompletableFuture<Void> blocking =
        writer.write(other, List.of(ByteBuffer.wrap(content(2, 10))), 0);
    syncing.await();
    CompletableFuture<Boolean> removed = writer.removeSome(REGION);
    CompletableFuture<Void> copied =
        writer.move(id(1), index.get(id(1)).orElseThrow(), ByteBuffer.wrap(bytes));
    release.countDown();
    CompletableFuture.allOf(blocking, removed, copied).join();
    writer.close();
    thread.join();
    segments.close();
    open(SMALL);
    assertThat(store.bodiesOf(REGION)).isEmpty();
    assertThat(store.bodiesOf(other.group())).containsExactly(other);
  }

  /** All of its bodies are removed before it is sealed. */
  @Test
  void aSegmentWithoutLiveBodiesIsDeletedWhenItIsSealed() throws IOException {
    open(SMALL);
    put(id(1), content(1, 300)).join();
    put(id(2), content(2, 300)).join();
    store.remove(List.of(id(1), id(2)));
    put(id(3), content(3, 400)).join();
    await().atMost(PATIENCE).until(() -> !Files.exists(directory().resolve(FIRST)));
    assertThat(get(id(3))).contains(content(3, 400));
  }

  @Test
  void removalsAreForgottenWithTheirBodies() throws IOException {
    open(SMALL);
    put(id(0), content(0, 900)).join();
    for (int i = 1; i <= 200; i++) {
      put(id(i), content(i, 300)).join();
      store.remove(List.of(id(i)));
    }
    put(id(201), content(201, 900)).join();
    await().atMost(PATIENCE).until(() -> store.fileBytes() < 5 * 1000);
    reopen(SMALL);
    assertThat(store.bodiesOf(REGION)).containsExactlyInAnyOrder(id(0), id(201));
  }

  @Test
  void theSpaceOfRemovedBodiesIsReturned() throws IOException {
    open(SMALL);
    for (int i = 0; i < 100; i++) {
      put(id(i), content(i, 300)).join();
    }
    long before = store.fileBytes();
    store.remove(
        Stream.iterate(0, i -> i + 1).limit(100).filter(i -> i % 10 != 0).map(i -> id(i)).toList());
    await().atMost(PATIENCE).until(() -> store.fileBytes() < before / 3);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 100; i++) {
        assertThat(get(id(i)).isPresent()).as("body %d", i).isEqualTo(i % 10 == 0);
      }
      assertThat(get(id(50))).contains(content(50, 300));
      reopen(SMALL);
    }
  }

  /** The record of the removal is in a segment that is compacted; the body is in an older one. */
  @Test
  void compactionUndoesNoRemoval() throws IOException {
    open(SMALL);
    for (int i = 0; i < 8; i++) {
      put(id(i), content(i, 300)).join();
    }
    store.remove(List.of(id(0)));
    for (int i = 8; i < 20; i++) {
      put(id(i), content(i, 300)).join();
    }
    int filesBefore = files().size();
    store.remove(Stream.iterate(6, i -> i + 1).limit(8).map(i -> id(i)).toList());
    await().atMost(PATIENCE).until(() -> files().size() < filesBefore);
    assertThat(files().get(0).getFileName()).hasToString(FIRST);
    reopen(SMALL);
    assertThat(store.contains(id(0))).isFalse();
    assertThat(get(id(1))).contains(content(1, 300));
  }
}
