package io.quorate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Role;
import io.quorate.model.Role.Administration;
import io.quorate.model.Role.DataRight;
import io.quorate.protocol.operation.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PermissionsTest {
  private static final ByteBuffer VALUE = ByteBuffer.wrap(new byte[] {'1'});
  private static final Key IN = Key.utf8("app/k");
  private static final Key OUT = Key.utf8("other");

  private static Permissions of(DataRight... rights) {
    return of(new Role("r", List.of(new Role.Grant(Key.utf8("app/"), Set.of(rights))), Set.of()));
  }

  private static Permissions of(Role... roles) {
    return Permissions.of(List.of(roles));
  }

  @Test
  void nothingIsAllowedByDefault() {
    assertThat(Permissions.NOTHING.read(IN)).isPresent();
    assertThat(Permissions.NOTHING.scan(KeyRange.ALL)).isPresent();
    assertThat(Permissions.NOTHING.execute(new Operation.Put(IN, VALUE))).isPresent();
    for (Administration each : Administration.values()) {
      assertThat(Permissions.NOTHING.administer(each)).isPresent();
    }
    assertThat(Permissions.NOTHING.seesCluster()).isFalse();
  }

  @Test
  void aWriteThatReturnsAValueNeedsToReadToo() {
    List<Operation> returning =
        List.of(
            new Operation.GetAndPut(IN, VALUE),
            new Operation.IncrementAndGet(IN, 1),
            new Operation.CompareAndSet(IN, Optional.empty(), Optional.of(VALUE)));
    for (Operation operation : returning) {
      assertThat(of(DataRight.WRITE).execute(operation)).contains("may not read \"app/k\"");
      assertThat(of(DataRight.READ).execute(operation)).contains("may not write \"app/k\"");
      assertThat(of(DataRight.READ, DataRight.WRITE).execute(operation)).isEmpty();
    }
    assertThat(of(DataRight.WRITE).execute(new Operation.Increment(IN, 1))).isEmpty();
  }

  @Test
  void everyPartOfABatchCounts() {
    Operation.OnKey allowed = new Operation.Put(IN, VALUE);
    Operation.OnKey other = new Operation.Delete(OUT);
    assertThat(of(DataRight.WRITE).execute(new Operation.Batch(List.of(allowed)))).isEmpty();
    assertThat(of(DataRight.WRITE).execute(new Operation.Batch(List.of(allowed, other))))
        .contains("may not write \"other\"");
  }

  @Test
  void administrationShowsTheClusterAndNoRows() {
    Permissions verifier = of(new Role("r", List.of(), Set.of(Administration.VERIFY)));
    assertThat(verifier.administer(Administration.VERIFY)).isEmpty();
    assertThat(verifier.administer(Administration.STATUS)).isEmpty();
    assertThat(verifier.administer(Administration.NODES)).isPresent();
    assertThat(verifier.read(IN)).isPresent();
  }

  /** Which region serves it, would tell where that begins. */
  @Test
  void aScanWithoutKeysIsOfWhatMayBeScanned() {
    assertThat(of(DataRight.SCAN).scan(KeyRange.of(IN, IN))).isEmpty();
    assertThat(of(DataRight.SCAN).scan(KeyRange.of(OUT, OUT))).isPresent();
    assertThat(Permissions.NOTHING.scan(KeyRange.of(IN, IN))).isPresent();
  }

  @Test
  void rangesAreThoseOfTheirPrefixes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      List<Key> prefixes = new ArrayList<>();
      List<KeyRange> ranges = new ArrayList<>();
      for (int i = random.nextInt(5); i > 0; i--) {
        prefixes.add(key(random));
        ranges.add(KeyRange.ofPrefix(prefixes.get(prefixes.size() - 1)));
      }
      KeyRanges all = KeyRanges.of(ranges);
      Key key = key(random);
      boolean isIn = prefixes.stream().anyMatch(prefix -> KeyRange.ofPrefix(prefix).contains(key));
      assertThat(all.contains(key)).as("seed %d: %s in %s", seed, key, prefixes).isEqualTo(isIn);
      KeyRange scanned = KeyRange.ofPrefix(key(random));
      if (ranges.stream().anyMatch(range -> range.covers(scanned))) {
        assertThat(all.covers(scanned)).as("seed %d: %s in %s", seed, scanned, prefixes).isTrue();
      }
      if (ranges.stream().noneMatch(range -> range.contains(scanned.start()))) {
        assertThat(all.covers(scanned)).as("seed %d: %s in %s", seed, scanned, prefixes).isFalse();
      }
    }
  }

  private static Key key(Random random) {
    byte[] bytes = new byte[random.nextInt(4)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = new byte[] {0, 'a', 'b', (byte) 0xff}[random.nextInt(4)];
    }
    return Key.wrap(bytes);
  }
}
