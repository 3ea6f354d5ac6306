package io.quorate.storage;

import static io.quorate.storage.TestRegion.EPOCH;
import static io.quorate.storage.TestRegion.GROUP;
import static io.quorate.storage.TestRegion.body;
import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.putBody;
import static io.quorate.storage.TestRegion.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
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
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ValueChange;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.garbage.RegionSweep;
import io.quorate.storage.read.ScanPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which bodies are removed, and when. */
@Timeout(120)
class BodySweepTest {
  private static final Failpoint INSTALL_CLEARED = Failpoint.named("storage.install.cleared");

  private static final List<Failpoint> POINTS =
      List.of(
          StoragePoints.SWEEP_BEGUN,
          StoragePoints.SWEEP_PAGE,
          StoragePoints.BEFORE_WRITE,
          StoragePoints.BEFORE_FLUSH,
          INSTALL_CLEARED);

  @TempDir Path directory;
  private TestRegion region;

  @BeforeEach
  void open() throws IOException {
    region = TestRegion.open(directory.resolve("home"), TestRegion.BODIES);
  }

  @AfterEach
  void close() {
    POINTS.forEach(Failpoint::off);
    region.close();
  }

  private static BodyId id(long epoch, long number) {
    return new BodyId(GROUP, epoch, number);
  }

  private static BodyId id(long number) {
    return id(EPOCH, number);
  }

  /** Makes a body durable, as the engine does before it proposes the command. */
  private BodyReference stored(BodyReference body) {
    add(body.in(GROUP));
    return body;
  }

  private void add(BodyId body) {
    region.storage.bodies().orElseThrow().put(body, List.of(ByteBuffer.allocate(100))).join();
  }

  private void putDurable(String key, long number, long floor) {
    assertThat(region.applyOne(putBody(key, stored(body(number, floor))))).isEqualTo(Result.DONE);
  }

  private int sweep() throws IOException {
    return sweep(RegionSweep.Pages.DEFAULT);
  }

  private int sweep(RegionSweep.Pages pages) throws IOException {
    BodyStore bodies = region.storage.bodyStore().orElseThrow();
    return region.store.bodySweep().orElseThrow().run(bodies, () -> false, pages);
  }

  private Set<BodyId> bodies() {
    return Set.copyOf(region.storage.bodyStore().orElseThrow().bodiesOf(GROUP));
  }

  private void awaitBodies(BodyId... expected) {
    await().untilAsserted(() -> assertThat(bodies()).containsExactlyInAnyOrder(expected));
  }

  @Test
  void removesOverwrittenAndDeletedBodies() throws IOException {
    putDurable("body", 0, 0);
    putDurable("small", 1, 1);
    putDurable("deleted", 2, 2);
    putDurable("kept", 3, 3);
    putDurable("body", 4, 4);
    region.apply(put("small", "value"), delete("deleted"));
    putDurable("newest", 5, 5);

    assertThat(sweep()).isEqualTo(3);
    awaitBodies(id(3), id(4), id(5));
    assertThat(region.store.durable()).isEqualTo(region.store.applied());
  }

  @Test
  void removesTheBodyThatAnOutcomeReplacesAndKeepsTheNewOne() throws IOException {
    putDurable("k", 0, 0);
    ValueChange change = new ValueChange.PutBody(stored(body(1, 1)));
    Operation resolved =
        new Operation.Resolved(Key.utf8("k"), EPOCH, 0, change, Result.DONE.encoded());
    assertThat(region.applyOne(resolved)).isEqualTo(Result.DONE);
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(1));
  }

  @Test
  void removesBodiesThatHaveNoCommand() throws IOException {
    add(id(0));
    add(id(2));
    putDurable("k", 3, 3);
    assertThat(sweep()).isEqualTo(2);
    awaitBodies(id(3));
  }

  /** The command that refers to such a body may still be applied. */
  @Test
  void keepsBodiesThatAreNotSettled() throws IOException {
    putDurable("k", 2, 1);
    region.apply(delete("k"));
    add(id(0));
    add(id(1));
    add(id(7));
    add(id(EPOCH + 1, 0));
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(1), id(2), id(7), id(EPOCH + 1, 0));

    assertThat(region.applyOne(putBody("k", body(7, 1)))).isEqualTo(Result.DONE);
    assertThat(sweep()).isZero();
    awaitBodies(id(1), id(2), id(7), id(EPOCH + 1, 0));
  }

  @Test
  void removesTheBodiesOfADeadEpochToWhichNoRowRefers() throws IOException {
    putDurable("k", 0, 0);
    add(id(9));
    add(id(EPOCH + 1, 0));
    assertThat(sweep()).isZero();
    Operation.PutBody late = putBody("k", body(9, 0));
    assertThat(region.applyAt(new Position(EPOCH + 1, 5), untagged(late)))
        .isEqualTo(Result.SUPERSEDED);
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(0), id(EPOCH + 1, 0));
  }

  @Test
  void theFloorOfAnEpochIsUnknownAfterAStart() throws IOException {
    putDurable("k", 0, 0);
    putDurable("k", 1, 1);
    region.close();
    open();
    assertThat(sweep()).isZero();
    assertThat(bodies()).containsExactlyInAnyOrder(id(0), id(1));
    putDurable("other", 2, 2);
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(1), id(2));
  }

  @Test
  void readsRowsOnlyIfSomethingHasChanged() throws IOException {
    List<Object> searches = new ArrayList<>();
    StoragePoints.SWEEP_BEGUN.on((at, group) -> searches.add(group));
    sweep();
    region.apply(put("k", "v"));
    sweep();
    assertThat(searches).as("without bodies").isEmpty();
    putDurable("k", 0, 0);
    putDurable("other", 1, 1);
    sweep();
    assertThat(searches).hasSize(1);
    sweep();
    assertThat(searches).as("unchanged").hasSize(1);
    add(id(EPOCH - 1, 4));
    assertThat(sweep()).as("arrived late").isEqualTo(1);
    awaitBodies(id(0), id(1));
    region.apply(delete("k"));
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(1));
  }

  /** What is settled must be known before the rows are read. */
  @Test
  void keepsABodyToWhichARowRefersSinceTheSearchBegan() throws IOException {
    putDurable("k", 0, 0);
    putDurable("other", 1, 1);
    StoragePoints.SWEEP_BEGUN.on(
        (at, group) -> {
          StoragePoints.SWEEP_BEGUN.off();
          putDurable("k", 2, 2);
          putDurable("newest", 3, 3);
        });
    sweep();
    sweep();
    awaitBodies(id(1), id(2), id(3));
  }

  /** What is executed and not written settles nothing: the rows do not refer to it yet. */
  @Test
  void keepsABodyWhoseReferenceCannotBeWritten() throws IOException {
    putDurable("k", 0, 0);
    stored(body(1, 1));
    stored(body(2, 2));
    StoragePoints.BEFORE_WRITE.on(
        (at, group) -> {
          throw new IOException("The disk is full");
        });
    List<CompletableFuture<Result>> results =
        region.commit(
            List.of(untagged(putBody("other", body(1, 1))), untagged(putBody("k", body(2, 2)))));
    await().until(() -> !region.storage.failures().isEmpty());
    assertThat(sweep()).isZero();
    StoragePoints.BEFORE_WRITE.off();
    assertThat(TestRegion.results(results)).containsExactly(Result.DONE, Result.DONE);
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(1), id(2));
  }

  /** After a crash the rows would refer to it. */
  @Test
  void keepsBodiesWhileTheRowsCannotBeMadeDurable() throws IOException {
    putDurable("k", 0, 0);
    putDurable("k", 1, 1);
    StoragePoints.BEFORE_FLUSH.on(
        (at, group) -> {
          throw new IOException("The disk is full");
        });
    assertThatThrownBy(this::sweep).isInstanceOf(IOException.class).hasMessageContaining("full");
    assertThat(bodies()).containsExactlyInAnyOrder(id(0), id(1));
    StoragePoints.BEFORE_FLUSH.off();
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(1));
  }

  /** The rows are incomplete then. */
  @Test
  void removesNothingDuringAnInstall() throws IOException {
    putDurable("k", 0, 0);
    putDurable("other", 1, 1);
    Path exported = Files.createDirectory(directory.resolve("exported"));
    Position at = region.store.exportSnapshot(exported);
    List<Throwable> failures = new ArrayList<>();
    INSTALL_CLEARED.on((step, group) -> failures.add(catchThrowable(this::sweep)));
    region.store.install(exported, at);
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).isInstanceOf(IOException.class).hasMessageContaining("install");
    region.applyAt(new Position(EPOCH + 1, 9), untagged(put("small", "v")));
    assertThat(sweep()).isZero();
    assertThat(bodies()).containsExactlyInAnyOrder(id(0), id(1));
  }

  /** Of two pages of bodies and three of rows each time. */
  @Test
  void findsGarbageInMoreBodiesAndRowsThanAPage() throws IOException {
    RegionSweep.Pages pages = new RegionSweep.Pages(7, 3);
    for (int i = 0; i < 20; i++) {
      putDurable("k" + (char) ('a' + i * 7 % 20), i, i);
    }
    List<Object> read = new ArrayList<>();
    StoragePoints.SWEEP_PAGE.on((at, group) -> read.add(group));
    assertThat(sweep(pages)).isZero();
    assertThat(read).hasSize(3 * 7);
    for (int i = 20; i < 30; i++) {
      putDurable("k" + (char) ('a' + (i - 20) * 2), i, i);
    }
    Set<BodyId> referenced = referenced();
    assertThat(sweep(pages)).isEqualTo(10);
    assertThat(bodies()).isEqualTo(referenced);
    assertThat(sweep(pages)).isZero();
  }

  /** So no page holds back what RocksDB has to keep for the next ones. */
  @Test
  void readsEachPageAsOfItsOwnTime() throws IOException {
    for (int i = 0; i < 9; i++) {
      putDurable("k" + i, i, i);
    }
    StoragePoints.SWEEP_PAGE.on(
        (at, group) -> {
          at.off();
          assertThat(region.storage.database().property("rocksdb.num-snapshots")).isZero();
          region.apply(delete("k7"), delete("k0"));
        });
    assertThat(sweep(new RegionSweep.Pages(100, 3)))
        .as("of the page that is not read")
        .isEqualTo(1);
    assertThat(bodies()).contains(id(0)).doesNotContain(id(7));
    assertThat(sweep()).isEqualTo(1);
    assertThat(bodies()).doesNotContain(id(0));
  }

  /** The rows of the next page are older than the horizon. */
  @Test
  void removesNothingIfASnapshotIsInstalledMeanwhile() throws IOException {
    putDurable("a", 0, 0);
    Path exported = Files.createDirectory(directory.resolve("exported"));
    Position at = region.store.exportSnapshot(exported);
    putDurable("b", 1, 1);
    putDurable("c", 2, 2);
    StoragePoints.SWEEP_PAGE.on(
        (point, group) -> {
          point.off();
          region.store.install(exported, at);
        });
    assertThatThrownBy(() -> sweep(new RegionSweep.Pages(100, 1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("replaced by a snapshot");
    assertThat(bodies()).containsExactlyInAnyOrder(id(0), id(1), id(2));
  }

  @Test
  void leavesTheBodiesOfOtherRegionsAlone() throws IOException {
    BodyId other = new BodyId(new GroupId(2), 1, 0);
    add(other);
    putDurable("k", 0, 0);
    putDurable("k", 1, 1);
    assertThat(sweep()).isEqualTo(1);
    awaitBodies(id(1));
    assertThat(region.storage.bodies().orElseThrow().contains(other)).isTrue();
  }

  @Test
  void aThreadRemovesGarbagePeriodically() throws IOException {
    region.close();
    region =
        TestRegion.open(
            directory.resolve("home"),
            TestRegion.BODIES.toBuilder().bodySweepInterval(Duration.ofMillis(5)).build());
    for (int i = 0; i < 5; i++) {
      putDurable("k", i, i);
      awaitBodies(id(i));
    }
  }

  /** Sweeps run all the time while random changes are applied: no row loses its body. */
  @Test
  void everyRowKeepsItsBody() throws Exception {
    long seed = new Random().nextLong();
    System.out.println("Seed of everyRowKeepsItsBody: " + seed);
    Random random = new Random(seed);
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> sweeps =
        CompletableFuture.runAsync(
            () -> {
              while (!done.get()) {
                try {
                  sweep(new RegionSweep.Pages(5, 3));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
    long epoch = EPOCH;
    long number = 0;
    for (long index = 1; index <= 1500; index++) {
      if (random.nextInt(100) == 0) {
        epoch++;
        number = 0;
      }
      String key = "k" + random.nextInt(20);
      int kind = random.nextInt(10);
      Operation operation = kind == 0 ? delete(key) : put(key, "small");
      if (kind > 2) {
        // Some numbers are skipped: their commands are never proposed.
        number += random.nextInt(3) / 2;
        BodyReference body = new BodyReference(epoch, number, number, 100, TestRegion.bytes(""));
        operation = putBody(key, stored(body));
        number++;
      }
      assertThat(region.applyAt(new Position(epoch, index), untagged(operation)))
          .isEqualTo(Result.DONE);
      assertThat(bodies()).as("seed %d, index %d", seed, index).containsAll(referenced());
    }
    done.set(true);
    sweeps.join();
    region.applyAt(new Position(epoch + 1, 2000), untagged(put("last", "small")));
    sweep();
    await().untilAsserted(() -> assertThat(bodies()).isEqualTo(referenced()));
  }

  private Set<BodyId> referenced() {
    return region
        .store
        .cutStored(KeyRange.ALL, ScanOrder.FORWARD, 1000, 1 << 30, ScanPlan.MERGE)
        .rows()
        .stream()
        .flatMap(
            row ->
                row.value() instanceof StoredValue.Body body
                    ? Stream.of(body.reference().in(GROUP))
                    : Stream.of())
        .collect(Collectors.toSet());
  }
}
