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
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Damage of files while the node does not run: nothing that was durable is lost unnoticed. */
@Timeout(60)
class LostRecordsTest extends BodyStoreFixture {
  private static final GroupId CHILD = new GroupId(2);

  private void putThree() throws IOException {
    open(QUIET);
    for (int i = 1; i <= 3; i++) {
      put(id(i), content(i, 100)).join();
    }
  }

  private void assertLost(BodyId body) throws IOException {
    assertThat(get(body)).isEmpty();
    assertThat(store.hasLost(body)).isTrue();
    assertThat(store.mayHaveLost(body)).isTrue();
  }

  private void assertWhole(long number) throws IOException {
    assertThat(get(id(number))).contains(content(number, 100));
    assertThat(store.mayHaveLost(id(number))).isFalse();
  }

  static Stream<Boolean> ends() {
    return Stream.of(false, true);
  }

  private void end(boolean killed) throws IOException {
    if (killed) {
      kill();
    } else {
      store.close();
    }
  }

  @Test
  void aFileWithANameThatNoSegmentHasIsIgnored() throws IOException {
    putThree();
    store.close();
    for (String name :
        List.of("ffffffffffffffff.bodies", "abc.bodies", "00000000000000001.bodies")) {
      Files.createFile(directory().resolve(name));
    }
    open(QUIET);
    for (int i = 1; i <= 3; i++) {
      assertWhole(i);
    }
  }

  @ParameterizedTest(name = "killed: {0}")
  @MethodSource("ends")
  void aDamagedContentIsRemembered(boolean killed) throws IOException {
    putThree();
    end(killed);
    flip(lastFile(), contentAt(1, 100) + 50);
    open(QUIET);
    for (int round = 0; round < 3; round++) {
      assertWhole(1);
      assertLost(id(2));
      assertWhole(3);
      reopen(QUIET);
    }
    put(id(2), content(2, 100)).join();
    assertThat(store.hasLost(id(2))).as("it may have been more than what was put").isTrue();
    store.restored(id(2));
    assertWhole(2);
    reopen(QUIET);
    assertWhole(2);
  }

  /** A record that replaced another one, as a complete copy replaces a fragment. */
  @Test
  void whatIsReplacedIsNotTakenForWhatReplacedIt() throws IOException {
    open(QUIET);
    put(id(1), content(1, 100)).join();
    put(id(1), content(2, 100)).join();
    put(id(2), content(2, 100)).join();
    kill();
    flip(lastFile(), contentAt(1, 100) + 50);
    open(QUIET);
    assertThat(get(id(1))).contains(content(1, 100));
    assertThat(store.hasLost(id(1))).isTrue();
  }

  @ParameterizedTest(name = "killed: {0}")
  @MethodSource("ends")
  void aDamagedHeaderOrTrailerLosesNothing(boolean killed) throws IOException {
    putThree();
    end(killed);
    Path last = lastFile();
    flip(last, contentAt(0, 100) - 5);
    flip(last, contentAt(1, 100) - 5);
    flip(last, contentAt(2, 100) + 100);
    open(QUIET);
    for (int round = 0; round < 3; round++) {
      assertWhole(1);
      assertWhole(2);
      assertWhole(3);
      reopen(QUIET);
    }
  }

  @Test
  void aRecordWithoutHeaderAndTrailerIsLostAlone() throws IOException {
    putThree();
    kill();
    Path last = lastFile();
    flip(last, contentAt(1, 100) - 5);
    flip(last, contentAt(1, 100) + 105);
    open(QUIET);
    for (int round = 0; round < 3; round++) {
      assertThat(get(id(1))).contains(content(1, 100));
      assertThat(store.hasLost(id(1))).as("what is lost may have replaced it").isTrue();
      assertThat(get(id(2))).isEmpty();
      assertThat(store.mayHaveLost(id(2))).isTrue();
      assertWhole(3);
      assertThat(store.mayHaveLost(id(4))).as("any that is not there").isTrue();
      reopen(QUIET);
    }
    put(id(4), content(4, 100)).join();
    assertWhole(4);
  }

  /** Nothing was written behind it, so it is not known to have been durable. */
  @Test
  void theLastRecordMayBeTorn() throws IOException {
    putThree();
    kill();
    Path last = lastFile();
    flip(last, contentAt(2, 100) - 5);
    flip(last, contentAt(2, 100) + 105);
    open(QUIET);
    assertWhole(1);
    assertWhole(2);
    assertThat(get(id(3))).isEmpty();
    assertThat(store.mayHaveLost(id(3))).isFalse();
  }

  @Test
  void anIdleStoreStatesThatItsLastRecordIsDurable() throws Exception {
    BodyStoreOptions idling =
        new BodyStoreOptions(
            64 << 20, 100, 1 << 20, 0.5, Duration.ofMinutes(1), Duration.ofMillis(1));
    open(idling);
    put(id(1), content(1, 100)).join();
    long written = contentAt(0, 100) + 100 + RecordHeader.BYTES;
    await().atMost(PATIENCE).until(() -> Files.size(lastFile()) > written);
    kill();
    Path last = lastFile();
    flip(last, contentAt(0, 100) - 5);
    flip(last, contentAt(0, 100) + 105);
    open(QUIET);
    assertThat(store.mayHaveLost(id(1))).isTrue();
  }

  @Test
  void aFileThatWasCutAfterTheStoreWasClosedIsNoticed() throws IOException {
    putThree();
    store.close();
    try (FileChannel file = FileChannel.open(lastFile(), StandardOpenOption.WRITE)) {
      file.truncate(contentAt(2, 100) - RecordHeader.BYTES);
    }
    open(QUIET);
    assertThat(get(id(3))).isEmpty();
    assertThat(store.mayHaveLost(id(3))).isTrue();
  }

  private void putTwenty() throws IOException {
    open(SMALL);
    for (int i = 1; i <= 20; i++) {
      put(id(i), content(i, 100)).join();
    }
    store.close();
  }

  @Test
  void aMissingFileIsNoticed() throws IOException {
    putTwenty();
    Files.delete(directory().resolve("0000000000000002.bodies"));
    open(SMALL);
    List<Long> missing =
        LongStream.rangeClosed(1, 20).filter(i -> !store.contains(id(i))).boxed().toList();
    assertThat(missing).isNotEmpty();
    for (int round = 0; round < 2; round++) {
      missing.forEach(number -> assertThat(store.mayHaveLost(id(number))).isTrue());
      assertWhole(20);
      reopen(SMALL);
    }
  }

  @Test
  void aMissingStoreIsNoticed() throws IOException {
    putTwenty();
    for (Path file : files()) {
      Files.delete(file);
    }
    store = BodyStore.open(directory(), true, SMALL, failure::set);
    assertThat(store.mayHaveLost(id(1))).isTrue();
    reopen(SMALL);
    assertThat(store.mayHaveLost(id(1))).isTrue();
    put(id(30), content(30, 100)).join();
    assertWhole(30);
  }

  @ParameterizedTest(name = "missing: {0}")
  @MethodSource("ends")
  void aMissingOrDamagedStateIsNoticed(boolean missing) throws IOException {
    putTwenty();
    Path state = directory().resolve(StoreState.FILE);
    if (missing) {
      Files.delete(state);
    } else {
      flip(state, 20);
    }
    open(SMALL);
    assertThat(get(id(1))).contains(content(1, 100));
    assertThat(store.hasLost(id(1))).isTrue();
    assertThat(store.mayHaveLost(id(30))).isTrue();
  }

  @Test
  void aFileOfAnotherStoreIsRefused() throws IOException {
    putTwenty();
    Path alien = directory().resolve("00000000000000ff.bodies");
    Files.write(alien, new byte[10]);
    assertThatThrownBy(() -> open(SMALL))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(alien.toString());
    store = null;
  }

  @Test
  void anotherFormatIsRefused() throws IOException {
    putTwenty();
    Files.write(directory().resolve(StoreState.FILE), StoreState.encoded("format 99\nsegment 1\n"));
    assertThatThrownBy(() -> open(SMALL))
        .hasMessageContaining(StoreState.FILE)
        .hasMessageContaining("format 99");
    store = null;
  }

  @Test
  void aRegionThatBeginsWithLostBodiesHasLostThem() throws IOException {
    putThree();
    kill();
    flip(lastFile(), contentAt(1, 100) + 50);
    open(QUIET);
    store.link(REGION, CHILD, 1).join();
    kill();
    open(QUIET);
    assertThat(store.lostOf(CHILD)).containsExactly(id(2).in(CHILD));
    store.removeAll(CHILD).join();
    store.remove(List.of(id(2))).join();
    reopen(QUIET);
    assertThat(store.lostOf(CHILD)).isEmpty();
    assertThat(store.lostOf(REGION)).isEmpty();
  }

  @Test
  void aLinkWhoseContentIsGoneIsLost() throws IOException {
    open(SMALL);
    put(id(1), content(1, 1000)).join();
    store.link(REGION, CHILD, 1).join();
    store.close();
    Files.delete(directory().resolve(FIRST));
    open(SMALL);
    assertLost(id(1).in(CHILD));
  }

  static Stream<Long> seeds() {
    return Stream.of(1L, 2L, 3L, System.nanoTime());
  }

  /**
   * Bytes anywhere are changed. What a read returns is what was written, and of everything that was
   * durable and is not there, the store knows; a killed store may not know of the last record.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void nothingIsLostUnnoticed(long seed) throws IOException {
    Random random = new Random(seed);
    for (int round = 0; round < 40; round++) {
      for (Path file : round == 0 ? List.<Path>of() : files()) {
        Files.delete(file);
      }
      open(SMALL);
      Set<Integer> removed = new HashSet<>();
      for (int i = 1; i <= 30; i++) {
        put(id(i), content(i, 100)).join();
        if (random.nextInt(8) == 0) {
          removed.add(i);
          store.remove(List.of(id(i))).join();
        }
      }
      boolean killed = random.nextBoolean();
      end(killed);
      List<Path> files = files().stream().filter(file -> file.toFile().length() > 0).toList();
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        Path file = files.get(random.nextInt(files.size()));
        flip(file, random.nextLong(Files.size(file)));
      }
      open(SMALL);
      for (int i = 1; i <= 30; i++) {
        String what = "seed %d, round %d, body %d, killed %s".formatted(seed, round, i, killed);
        try {
          boolean isThere = get(id(i)).isPresent();
          assertThat(
                  isThere || removed.contains(i) || store.mayHaveLost(id(i)) || killed && i == 30)
              .as(what)
              .isTrue();
          if (isThere) {
            assertThat(get(id(i))).as(what).contains(content(i, 100));
          }
        } catch (DamagedBodyException e) {
          // It is known to be damaged.
        }
      }
      store.close();
    }
    store = null;
  }
}
