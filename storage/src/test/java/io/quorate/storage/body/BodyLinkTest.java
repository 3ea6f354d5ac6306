package io.quorate.storage.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Regions that share the records of bodies. */
@Timeout(60)
class BodyLinkTest extends BodyStoreFixture {
  private static final GroupId CHILD = new GroupId(7);
  private static final int GROUPS = 4;

  private static BodyId child(long number) {
    return id(number).in(CHILD);
  }

  @Test
  void bothRegionsHaveTheBodies() throws IOException {
    open(SMALL);
    put(id(1), content(1, 100)).join();
    put(id(2), content(2, 100)).join();
    long before = store.fileBytes();
    store.link(REGION, CHILD, 1).join();
    for (int round = 0; round < 2; round++) {
      assertThat(store.bodiesOf(CHILD)).containsExactlyInAnyOrder(child(1), child(2));
      assertThat(get(child(1))).contains(content(1, 100));
      assertThat(get(id(2))).contains(content(2, 100));
      assertThat(store.length(child(2))).hasValue(100);
      assertThat(store.bytesOf(CHILD)).isEqualTo(store.bytesOf(REGION)).isGreaterThan(200);
      assertThat(store.fileBytes() - before).isLessThan(400);
      reopen(SMALL);
    }
  }

  /** The group of the child may use their ids. */
  @Test
  void bodiesOfLaterEpochsAreNotLinked() throws IOException {
    open(SMALL);
    put(id(1), content(1, 100)).join();
    put(new BodyId(REGION, 2, 0), content(2, 100)).join();
    store.link(REGION, CHILD, 1).join();
    assertThat(store.bodiesOf(CHILD)).containsExactly(child(1));
  }

  @Test
  void aBodyThatTheChildHasStays() throws IOException {
    open(SMALL);
    put(id(1), content(1, 100)).join();
    put(child(1), content(2, 50)).join();
    store.link(REGION, CHILD, 1).join();
    store.link(REGION, CHILD, 1).join();
    assertThat(get(child(1))).contains(content(2, 50));
    reopen(SMALL);
    assertThat(get(child(1))).contains(content(2, 50));
  }

  @Test
  void eachRegionRemovesItsOwn() throws IOException {
    open(SMALL);
    put(id(1), content(1, 100)).join();
    put(id(2), content(2, 100)).join();
    store.link(REGION, CHILD, 1).join();
    store.remove(List.of(id(1), child(2))).join();
    for (int round = 0; round < 2; round++) {
      assertThat(store.bodiesOf(REGION)).containsExactly(id(2));
      assertThat(store.bodiesOf(CHILD)).containsExactly(child(1));
      assertThat(get(child(1))).contains(content(1, 100));
      reopen(SMALL);
    }
    store.removeAll(REGION).join();
    reopen(SMALL);
    assertThat(store.bodiesOf(REGION)).isEmpty();
    assertThat(get(child(1))).contains(content(1, 100));
  }

  /** The child has nothing that a power failure would take. */
  @Test
  void theCallCompletesWhenTheLinksAreDurable() throws Exception {
    open(SMALL);
    put(id(1), content(1, 100)).join();
    holdSyncs();
    CompletableFuture<Void> linked = store.link(REGION, CHILD, 1);
    syncing.await();
    assertThat(linked).isNotDone();
    release.countDown();
    linked.join();
    assertThat(store.contains(child(1))).isTrue();
  }

  /** Some at a time, so that bodies that are written meanwhile do not wait for all. */
  @Test
  void manyBodiesAreLinked() throws IOException {
    open(BodyStoreOptions.DEFAULT);
    List<CompletableFuture<Void>> puts = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      puts.add(put(id(i), content(i, 10)));
      if (puts.size() == 1_000) {
        puts.forEach(CompletableFuture::join);
        puts.clear();
      }
    }
    store.link(REGION, CHILD, 1).join();
    store.removeAll(REGION).join();
    reopen(BodyStoreOptions.DEFAULT);
    assertThat(store.bodiesOf(CHILD)).hasSize(5_000);
    assertThat(get(child(4_999))).contains(content(4_999, 10));
  }

  @Test
  void theCallFailsWhenTheFsyncFails() throws IOException {
    open(SMALL);
    put(id(1), content(1, 100)).join();
    BodyWriter.BEFORE_SYNC.on(
        (point, records) -> {
          throw new IOException("the disk is gone");
        });
    assertThatThrownBy(store.link(REGION, CHILD, 1)::join).hasRootCauseMessage("the disk is gone");
    // The store has failed after all of its tasks have.
    await().until(store::hasFailed);
  }

  /** Compaction may not delete what a removal has released, and a link is about to need. */
  @Test
  void aRemovalBesideALinkLeavesTheContent() throws Exception {
    open(SMALL);
    for (int i = 0; i < 4; i++) {
      put(id(i), content(i, 300)).join();
    }
    holdSyncs();
    CompletableFuture<Void> blocking = put(id(9), content(9, 10));
    syncing.await();
    CompletableFuture<Void> linked = store.link(REGION, CHILD, 1);
    CompletableFuture<Void> removed = store.remove(List.of(id(0), id(1), id(2), id(3)));
    release.countDown();
    CompletableFuture.allOf(blocking, linked, removed).join();
    BodyWriter.BEFORE_SYNC.off();
    for (int i = 10; i < 20; i++) {
      put(id(i), content(i, 300)).join();
    }
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 4; i++) {
        assertThat(get(child(i))).as("body %d", i).contains(content(i, 300));
      }
      reopen(SMALL);
    }
  }

  /** The links are in the newest segment, behind the records to which they refer. */
  @Test
  void aTornLinkIsNone() throws IOException {
    open(SMALL);
    put(id(1), content(1, 100)).join();
    store.link(REGION, CHILD, 1).join();
    kill();
    Path last = lastFile();
    try (FileChannel channel = FileChannel.open(last, StandardOpenOption.WRITE)) {
      channel.truncate(Files.size(last) - 1);
    }
    for (int round = 0; round < 2; round++) {
      open(SMALL);
      assertThat(store.bodiesOf(CHILD)).isEmpty();
      assertThat(get(id(1))).contains(content(1, 100));
      store.close();
    }
    open(SMALL);
  }

  @Test
  void compactionMovesWhatOnlyTheChildHas() throws IOException {
    open(SMALL);
    for (int i = 0; i < 20; i++) {
      put(id(i), content(i, 300)).join();
    }
    store.link(REGION, CHILD, 1).join();
    store.removeAll(REGION).join();
    store.remove(List.of(child(0), child(1), child(2), child(3), child(4), child(5))).join();
    await().atMost(PATIENCE).until(() -> !Files.exists(directory().resolve(FIRST)));
    for (int round = 0; round < 2; round++) {
      assertThat(store.bodiesOf(REGION)).isEmpty();
      assertThat(store.bodiesOf(CHILD)).hasSize(14);
      for (int i = 6; i < 20; i++) {
        assertThat(get(child(i))).as("body %d", i).contains(content(i, 300));
      }
      reopen(SMALL);
    }
  }

  /**
   * Whatever is added, linked, replaced and removed, in segments that are compacted meanwhile, the
   * store has what a map has, also after a restart.
   */
  @Test
  void aStoreWithLinksIsAMap() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<BodyId, byte[]> expected = new HashMap<>();
    open(SMALL);
    for (int step = 0; step < 1_000; step++) {
      GroupId group = new GroupId(1 + random.nextInt(GROUPS));
      BodyId body = new BodyId(group, 1, random.nextInt(30));
      switch (random.nextInt(20)) {
        case 0 -> {
          GroupId to = new GroupId(1 + random.nextInt(GROUPS));
          store.link(group, to, 1).join();
          for (BodyId each : List.copyOf(expected.keySet())) {
            if (each.group().equals(group)) {
              expected.putIfAbsent(each.in(to), expected.get(each));
            }
          }
        }
        case 1 -> {
          store.removeAll(group).join();
          expected.keySet().removeIf(each -> each.group().equals(group));
        }
        case 2 -> {
          reopen(SMALL);
          assertHolds(expected, seed, step);
        }
        case 3, 4, 5, 6, 7, 8 -> {
          store.remove(List.of(body)).join();
          expected.remove(body);
        }
        default -> {
          byte[] content = content(random.nextLong(), random.nextInt(400));
          put(body, content).join();
          expected.put(body, content);
        }
      }
    }
    assertHolds(expected, seed, 1_000);
  }

  private void assertHolds(Map<BodyId, byte[]> expected, long seed, int step) throws IOException {
    for (int group = 1; group <= GROUPS; group++) {
      GroupId each = new GroupId(group);
      assertThat(store.bodiesOf(each))
          .as("seed %d, step %d", seed, step)
          .containsExactlyInAnyOrderElementsOf(
              expected.keySet().stream().filter(body -> body.group().equals(each)).toList());
    }
    for (Map.Entry<BodyId, byte[]> body : expected.entrySet()) {
      assertThat(get(body.getKey()))
          .as("seed %d, step %d, %s", seed, step, body.getKey())
          .contains(body.getValue());
    }
  }
}
