package io.quorate.storage;

import static io.quorate.storage.RegionLog.split;
import static io.quorate.storage.TestRegion.EPOCH;
import static io.quorate.storage.TestRegion.GROUP;
import static io.quorate.storage.TestRegion.body;
import static io.quorate.storage.TestRegion.putBody;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.Failpoint;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bodies of regions of which a node has nothing else. */
@Timeout(60)
class UnusedBodiesTest {
  private static final GroupId ELSEWHERE = new GroupId(5);
  private static final GroupId CHILD = new GroupId(7);

  @TempDir private Path directory;
  private TestRegion region;

  @BeforeEach
  void open() throws IOException {
    region = TestRegion.open(directory, TestRegion.BODIES);
  }

  @AfterEach
  void close() {
    Failpoint.known().forEach(Failpoint::off);
    region.close();
  }

  private BodyStore bodies() {
    return region.storage.bodyStore().orElseThrow();
  }

  private CompletableFuture<Void> add(GroupId group, long number) {
    return bodies().put(new BodyId(group, EPOCH, number), List.of(ByteBuffer.allocate(10)));
  }

  @Test
  void aBodyThatIsStoredAfterItsRegionWasRemovedIsRemoved() throws IOException {
    region.storage.region(ELSEWHERE, KeyRange.of(Key.EMPTY, Key.EMPTY), Keyspace.DATA).open();
    add(ELSEWHERE, 1).join();
    region.storage.remove(ELSEWHERE, KeyRange.of(Key.EMPTY, Key.EMPTY), Keyspace.DATA);
    add(ELSEWHERE, 2).join();
    add(GROUP, 1).join();
    region.storage.removeUnusedBodies(group -> false);
    assertThat(bodies().groups()).containsExactly(GROUP);
    region.close();
    open();
    assertThat(bodies().groups()).containsExactly(GROUP);
  }

  @Test
  void moreBodiesThanAreRemovedTogether() throws IOException {
    int count = 10_000;
    for (int i = 0; i < count; i += 1_000) {
      List<CompletableFuture<Void>> some = new ArrayList<>();
      for (int number = i; number < i + 1_000; number++) {
        some.add(add(ELSEWHERE, number));
      }
      CompletableFuture.allOf(some.toArray(CompletableFuture[]::new)).join();
    }
    assertThat(bodies().size()).isEqualTo(count);
    region.storage.removeUnusedBodies(group -> false);
    assertThat(bodies().size()).isZero();
  }

  @Test
  void theOwnerMayNeedThem() throws IOException {
    add(ELSEWHERE, 1).join();
    region.storage.removeUnusedBodies(ELSEWHERE::equals);
    assertThat(bodies().groups()).containsExactly(ELSEWHERE);
  }

  /** A region has its bodies before it has a snapshot, and while it is not open. */
  @Test
  void aRegionThatIsReceivedOrNotOpenKeepsItsBodies() throws IOException {
    region.storage.region(ELSEWHERE, Keyspace.DATA).open();
    add(ELSEWHERE, 1).join();
    add(GROUP, 1).join();
    region.storage.removeUnusedBodies(group -> false);
    assertThat(bodies().groups()).containsExactly(GROUP, ELSEWHERE);
    region.close();
    try (Storage storage = Storage.open(directory, TestRegion.BODIES, MetricsSink.NONE)) {
      storage.removeUnusedBodies(group -> false);
      assertThat(storage.bodyStore().orElseThrow().groups()).containsExactly(GROUP);
    }
  }

  /** It has links to them before it has a state. */
  @Test
  void aRegionThatBeginsByASplitKeepsItsBodies() throws IOException {
    add(GROUP, 1).join();
    region.applyOne(putBody("z", body(1, 1)));
    List<Set<GroupId>> seen = new ArrayList<>();
    StoragePoints.SPLIT_BODIES_LINKED.on(
        (at, group) -> {
          assertThat(region.storage.holds(CHILD)).isFalse();
          region.storage.removeUnusedBodies(other -> false);
          seen.add(bodies().groups());
        });
    assertThat(region.applyOne(split("m", CHILD.value()))).isEqualTo(Result.DONE);
    assertThat(seen).containsExactly(Set.of(GROUP, CHILD));
    region.storage.removeUnusedBodies(group -> false);
    assertThat(bodies().groups()).containsExactly(GROUP, CHILD);
    region.storage.remove(CHILD, KeyRange.from(Key.utf8("m")), Keyspace.DATA);
    add(CHILD, 9).join();
    region.storage.removeUnusedBodies(group -> false);
    assertThat(bodies().groups()).as("removed, and stored late").containsExactly(GROUP);
  }
}
