package io.quorate.storage;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.bytes;
import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.increment;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Digests of the rows and sessions of a region. */
class DigestTest {
  /** More than two pages of a digest. */
  private static final int ROWS = 10_000;

  private static final Operation REQUEST =
      new Operation.Digest(List.of(Key.utf8(key(100)), Key.utf8(key(5000))));

  @TempDir Path directory;
  private TestRegion one;
  private TestRegion other;

  @BeforeEach
  void open() throws IOException {
    one = TestRegion.open(directory.resolve("one"));
    other = TestRegion.open(directory.resolve("other"));
  }

  @AfterEach
  void close() {
    other.close();
    one.close();
  }

  /** Whether they were applied one by one or installed from a snapshot. */
  @Test
  void replicasWithTheSameRowsHaveTheSameDigest() throws IOException {
    fill(one);
    Path snapshot = Files.createDirectory(directory.resolve("snapshot"));
    Position position = one.store.exportSnapshot(snapshot);
    other.store.install(snapshot, position);
    RegionDigest digest = digest(one, position.index() + 1);
    assertThat(digest(other, position.index() + 1)).isEqualTo(digest);
    assertThat(digest.parts())
        .extracting(RegionDigest.Part::start)
        .containsExactly(Key.EMPTY, Key.utf8(key(100)), Key.utf8(key(5000)));
    assertThat(digest.parts())
        .extracting(RegionDigest.Part::rows)
        .containsExactly(100L, 4900L, ROWS - 5000L);
    assertThat(digest.endOf(Key.utf8(key(100)))).contains(Key.utf8(key(5000)));
    assertThat(digest.endOf(Key.utf8(key(5000)))).isEmpty();
  }

  @Test
  void aRowThatDiffersIsInTheNamedPart() throws IOException {
    fill(one);
    fill(other);
    try (var write = other.storage.database().batch()) {
      write.put(Family.DATA, Key.utf8(key(4711)).bytes(), bytes("another"));
      other.storage.database().write(write);
    }
    RegionDigest honest = digest(one, 100);
    RegionDigest changed = digest(other, 100);
    assertThat(changed.hash()).isNotEqualTo(honest.hash());
    assertThat(changed.differences(honest)).containsExactly(Key.utf8(key(100)));
    assertThat(changed.sessions()).isEqualTo(honest.sessions());
  }

  /** What follows it in the log may be in the same iteration of the applier. */
  @Test
  void aDigestIsOfItsPosition() throws IOException {
    fill(one);
    fill(other);
    RegionDigest digest = digest(one, 100);
    other.commitAt(100, List.of(untagged(REQUEST)));
    other.commitAt(101, List.of(untagged(delete(key(1)))));
    other.awaitApplied(101);
    assertThat(awaited(other)).isEqualTo(digest);
    assertThat(digest(other, 102).hash()).isNotEqualTo(digest.hash());
  }

  @Test
  void sessionsCount() throws IOException {
    one.apply(by(new ClientId(1, 2), 1, 0, increment("n", 1)));
    other.apply(untagged(increment("n", 1)));
    RegionDigest withSession = digest(one, 2);
    RegionDigest without = digest(other, 2);
    assertThat(withSession.differences(without)).isEmpty();
    assertThat(withSession.sessions()).isNotEqualTo(without.sessions());
    assertThat(withSession.hash()).isNotEqualTo(without.hash());
  }

  @Test
  void anAbandonedDigestEndsAndTheNextOneIsComputed() throws IOException {
    one.apply(
        IntStream.range(0, 20 * ROWS)
            .mapToObj(i -> put(key(i), "value " + i))
            .toArray(Operation[]::new));
    one.commitAt(2, List.of(untagged(REQUEST)));
    await().until(() -> one.store.digestProgress().isPresent());
    one.storage.abandonDigests();
    await().until(() -> one.store.digestProgress().isEmpty());
    assertThat(one.store.digest()).isEmpty();
    assertThat(digest(one, 3).position()).isEqualTo(TestRegion.at(3));
  }

  private void fill(TestRegion region) {
    region.apply(
        IntStream.range(0, ROWS)
            .mapToObj(i -> put(key(i), "value " + i))
            .toArray(Operation[]::new));
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "key %06d", number);
  }

  private static RegionDigest digest(TestRegion region, long index) {
    Optional<RegionDigest> before = region.store.digest();
    region.commitAt(index, List.of(untagged(REQUEST)));
    await().atMost(Duration.ofSeconds(30)).until(() -> !region.store.digest().equals(before));
    return awaited(region);
  }

  private static RegionDigest awaited(TestRegion region) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> region.store.digest().isPresent() && region.store.digestProgress().isEmpty());
    return region.store.digest().orElseThrow();
  }
}
