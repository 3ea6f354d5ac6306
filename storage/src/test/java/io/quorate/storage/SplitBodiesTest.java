package io.quorate.storage;

import static io.quorate.storage.RegionLog.split;
import static io.quorate.storage.TestRegion.EPOCH;
import static io.quorate.storage.TestRegion.GROUP;
import static io.quorate.storage.TestRegion.body;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.putBody;
import static io.quorate.storage.TestRegion.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A region with large values is split: what becomes of their bodies. */
@Timeout(60)
class SplitBodiesTest {
  private static final GroupId CHILD = new GroupId(7);
  private static final int BYTES = 10_000;
  private static final GroupId GRANDCHILD = new GroupId(8);

  @TempDir Path directory;
  private TestRegion parent;

  @BeforeEach
  void open() throws IOException {
    parent = TestRegion.open(directory.resolve("home"), TestRegion.BODIES);
  }

  @AfterEach
  void close() {
    Failpoint.known().forEach(Failpoint::off);
    parent.close();
  }

  private BodyStore bodies() {
    return parent.storage.bodyStore().orElseThrow();
  }

  /** A body of the parent is durable, and then its command is applied. */
  private void putDurable(String key, long number) {
    add(body(number, number).in(GROUP));
    assertThat(parent.applyOne(putBody(key, body(number, number)))).isEqualTo(Result.DONE);
  }

  private void add(BodyId id) {
    bodies().put(id, List.of(ByteBuffer.allocate(BYTES))).join();
  }

  private RegionStore child() throws IOException {
    RegionStore child = parent.storage.region(CHILD, Keyspace.DATA);
    child.open();
    return child;
  }

  private static Result applyAt(RegionStore region, Position position, Operation operation) {
    return TestRegion.results(
            TestRegion.commitTo(region, position, List.of(untagged(operation).encoded())))
        .get(0);
  }

  private void sweep(RegionStore region) throws IOException {
    region.bodySweep().orElseThrow().run(bodies(), () -> false);
  }

  private void awaitBodies(GroupId group, Long... numbers) {
    await()
        .untilAsserted(
            () ->
                assertThat(bodies().bodiesOf(group))
                    .extracting(BodyId::number)
                    .containsExactlyInAnyOrder(numbers));
  }

  private static BodyReference bodyAt(RegionStore region, String key) {
    return ((StoredValue.Body) region.getStored(Key.utf8(key)).orElseThrow()).reference();
  }

  @Test
  void theChildHasTheBodiesOfItsKeys() throws IOException {
    putDurable("a", 1);
    putDurable("z", 2);
    assertThat(parent.applyOne(split("m", 7))).isEqualTo(Result.DONE);
    RegionStore child = child();
    assertThat(bodyAt(child, "z")).isEqualTo(body(2, 2));
    assertThat(bodies().get(bodyAt(child, "z").in(CHILD))).isPresent();
    parent.applyOne(put("a", "small"));
    putDurable("b", 3);
    sweep(parent.store);
    awaitBodies(GROUP, 3L);
    sweep(child);
    awaitBodies(CHILD, 2L);
    assertThat(applyAt(child, new Position(EPOCH + 1, 1), put("y", "1"))).isEqualTo(Result.DONE);
    sweep(child);
    awaitBodies(CHILD, 2L);
    assertThat(bodies().get(body(2, 2).in(CHILD))).isPresent();
  }

  /** A region would be split again because of what has left it. */
  @Test
  void theSizeOfARegionContainsBodiesOnlyWhenThoseOfOtherKeysAreRemoved() throws IOException {
    putDurable("a", 1);
    putDurable("z", 2);
    sweep(parent.store);
    assertThat(parent.store.rowBytes()).isGreaterThan(2 * BYTES);
    parent.applyOne(split("m", 7));
    RegionStore child = child();
    assertThat(parent.store.rowBytes()).isLessThan(BYTES);
    assertThat(child.rowBytes()).isLessThan(BYTES);
    sweep(child);
    awaitBodies(CHILD, 2L);
    assertThat(child.rowBytes()).isBetween((long) BYTES, 2L * BYTES);
    putDurable("c", 3);
    sweep(parent.store);
    awaitBodies(GROUP, 1L, 3L);
    assertThat(parent.store.rowBytes()).isBetween(2L * BYTES, 3L * BYTES);
  }

  /** So no body of the child has the id of one with which it began. */
  @Test
  void theEpochsOfTheChildAreGreaterThanThoseOfItsFirstBodies() throws IOException {
    putDurable("z", 1);
    parent.applyOne(split("m", 7));
    assertThat(parent.storage.inheritedEpoch(GROUP)).isZero();
    assertThat(parent.storage.inheritedEpoch(CHILD)).isEqualTo(EPOCH);
    RegionStore child = child();
    assertThat(applyAt(child, new Position(EPOCH + 2, 1), split("t", 8))).isEqualTo(Result.DONE);
    assertThat(parent.storage.inheritedEpoch(GRANDCHILD)).isEqualTo(EPOCH + 2);
    assertThat(bodies().contains(body(1, 1).in(GRANDCHILD))).isTrue();
    parent.close();
    open();
    assertThat(parent.storage.inheritedEpoch(CHILD)).isEqualTo(EPOCH);
  }

  /** Of a later leader of the parent: without a reference, and with an id that is the child's. */
  @Test
  void theChildDoesNotHaveBodiesOfLaterEpochs() throws IOException {
    putDurable("z", 1);
    add(new BodyId(GROUP, EPOCH + 1, 0));
    parent.applyOne(split("m", 7));
    assertThat(bodies().bodiesOf(CHILD)).containsExactly(new BodyId(CHILD, EPOCH, 1));
  }

  @Test
  void aSnapshotOfTheChildSaysWhichEpochsItsBodiesHave() throws IOException {
    putDurable("z", 1);
    parent.applyOne(split("m", 7));
    RegionStore child = child();
    applyAt(child, new Position(EPOCH + 1, 1), put("y", "1"));
    Path snapshot = directory.resolve("snapshot");
    Files.createDirectories(snapshot);
    Position at = child.exportSnapshot(snapshot);
    try (TestRegion other = TestRegion.open(directory.resolve("other"), TestRegion.BODIES)) {
      other.applyOne(split("m", 9));
      other.storage.remove(new GroupId(9), KeyRange.ALL, Keyspace.DATA);
      RegionStore copy = other.storage.region(CHILD, Keyspace.DATA);
      copy.open();
      assertThat(other.storage.inheritedEpoch(CHILD)).isZero();
      copy.install(snapshot, at);
      assertThat(other.storage.inheritedEpoch(CHILD)).isEqualTo(EPOCH);
      assertThat(bodyAt(copy, "z")).isEqualTo(body(1, 1));
    }
  }

  /** A crash after any step: the split is replayed, and nobody lacks a body. */
  @Test
  void aCrashDuringTheSplitLosesNoBody() throws IOException {
    putDurable("a", 1);
    putDurable("z", 2);
    parent.flush();
    List<Path> crashes = new ArrayList<>();
    for (Failpoint point :
        List.of(
            StoragePoints.SPLIT_BODIES_LINKED,
            StoragePoints.BEFORE_WRITE,
            StoragePoints.SPLIT_WRITTEN)) {
      point.on(
          (at, subject) ->
              crashes.add(
                  CrashCopy.take(
                      parent.storage, directory.resolve("home"), directory.resolve(at.name()))));
    }
    parent.applyOne(split("m", 7));
    Failpoint.known().forEach(Failpoint::off);
    assertThat(crashes).hasSize(3);
    for (Path crashed : crashes) {
      parent.close();
      parent = TestRegion.open(crashed, TestRegion.BODIES);
      assertThat(parent.applyOne(split("m", 7))).isEqualTo(Result.DONE);
      RegionStore child = child();
      applyAt(child, new Position(EPOCH + 1, 1), put("y", "1"));
      sweep(child);
      awaitBodies(CHILD, 2L);
      assertThat(bodies().get(bodyAt(child, "z").in(CHILD))).isPresent();
      assertThat(bodies().get(bodyAt(parent.store, "a").in(GROUP))).isPresent();
    }
  }

  /** A full disk, for example. */
  @Test
  void aSplitWhoseBodiesCannotBeLinkedIsRepeated() throws IOException {
    putDurable("z", 1);
    StoragePoints.SPLIT_BODIES_LINKED.on(
        (at, subject) -> {
          at.off();
          throw new IOException("no space left");
        });
    assertThat(parent.applyOne(split("m", 7))).isEqualTo(Result.DONE);
    assertThat(Set.copyOf(bodies().bodiesOf(CHILD))).isEqualTo(Set.of(new BodyId(CHILD, EPOCH, 1)));
  }
}
