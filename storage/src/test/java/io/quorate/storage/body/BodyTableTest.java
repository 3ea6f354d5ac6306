package io.quorate.storage.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BodyTableTest {
  private static final Comparator<BodyId> ORDER =
      Comparator.comparing(BodyId::group)
          .thenComparingLong(BodyId::epoch)
          .thenComparingLong(BodyId::number);

  private final BodyTable table = new BodyTable(2);

  private static BodyId id(int group, long epoch, long number) {
    return new BodyId(new GroupId(group), epoch, number);
  }

  /** Some groups and epochs have many bodies and others few, in any order. */
  @Test
  void isAMapAfterRandomChanges() {
    long seed = new Random().nextLong();
    System.out.println("Seed of isAMapAfterRandomChanges: " + seed);
    Random random = new Random(seed);
    NavigableMap<BodyId, Long> expected = new TreeMap<>(ORDER);
    for (int round = 0; round < 8; round++) {
      // Grows in some rounds, and shrinks to nothing in others.
      int removals = round % 2 == 0 ? 2 : 8;
      for (int i = 0; i < 20_000; i++) {
        BodyId body = randomId(random);
        if (random.nextInt(10) < removals) {
          assertThat(table.remove(body).map(row -> row[1])).isEqualTo(removed(expected, body));
        } else {
          long value = random.nextLong();
          assertThat(table.put(body, -value, value).isPresent())
              .isEqualTo(expected.put(body, value) != null);
        }
      }
      assertHas(expected);
    }
    for (BodyId body : List.copyOf(expected.keySet())) {
      table.remove(body);
    }
    assertHas(new TreeMap<>(ORDER));
    assertThat(table.heapBytes()).isZero();
  }

  private static Optional<Long> removed(NavigableMap<BodyId, Long> expected, BodyId body) {
    return Optional.ofNullable(expected.remove(body));
  }

  private static BodyId randomId(Random random) {
    int group = random.nextInt(4);
    long epoch = random.nextInt(3) * (long) Integer.MAX_VALUE;
    return id(group, epoch, random.nextInt(1 << (3 * group + 3)) - 4);
  }

  private void assertHas(NavigableMap<BodyId, Long> expected) {
    assertThat(table.size()).isEqualTo(expected.size());
    assertThat(table.groups())
        .containsExactlyElementsOf(
            expected.keySet().stream().map(BodyId::group).distinct().toList());
    List<BodyId> all = new ArrayList<>();
    for (GroupId group : table.groups()) {
      List<BodyId> pages = new ArrayList<>(table.first(group, 7));
      for (List<BodyId> page = pages; !page.isEmpty(); pages.addAll(page)) {
        page = table.after(pages.get(pages.size() - 1), 7);
      }
      assertThat(table.first(group, Integer.MAX_VALUE)).isEqualTo(pages);
      all.addAll(pages);
    }
    assertThat(all).containsExactlyElementsOf(expected.keySet());
    expected.forEach(
        (body, value) -> assertThat(table.get(body).orElseThrow()).containsExactly(-value, value));
  }

  /** Numbers grow, and most values are overwritten: a leaf of few rows must not stay. */
  @Test
  void aBodyTakesLittleHeapAlsoIfFewAreLeft() {
    int count = 64 * 1024;
    for (int number = 0; number < count; number++) {
      table.put(id(1, 5, number), number, number);
    }
    assertThat(table.heapBytes()).isBetween(24L * count, 26L * count);
    for (int number = 0; number < count; number++) {
      if (number % 64 != 7) {
        table.remove(id(1, 5, number));
      }
    }
    assertThat(table.size()).isEqualTo(count / 64);
    assertThat(table.heapBytes()).isBetween(24L * table.size(), 34L * table.size());
  }

  /** Leaves are divided and joined meanwhile. */
  @Test
  void readersSeeWhatDoesNotChange() throws Exception {
    List<BodyId> constant = new ArrayList<>();
    for (int number = 0; number < 4_000; number += 40) {
      constant.add(id(1, 1, number));
      table.put(id(1, 1, number), number, number);
    }
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> reading =
        CompletableFuture.runAsync(
            () -> {
              while (!done.get()) {
                assertThat(table.first(new GroupId(1), Integer.MAX_VALUE)).containsAll(constant);
                constant.forEach(
                    body -> assertThat(table.get(body).orElseThrow()[0]).isEqualTo(body.number()));
              }
            });
    long seed = new Random().nextLong();
    System.out.println("Seed of readersSeeWhatDoesNotChange: " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 40; round++) {
      for (int i = 0; i < 8_000; i++) {
        int number = random.nextInt(4_000);
        if (number % 40 != 0) {
          if (round % 2 == 0) {
            table.put(id(1, 1, number), 0, 0);
          } else {
            table.remove(id(1, 1, number));
          }
        }
      }
    }
    done.set(true);
    reading.get();
  }

  /** A reader may find a leaf before it is divided, and see its rows after that. */
  @Test
  void aRowIsFoundWhileItMovesToAnotherLeaf() throws Exception {
    BodyId moving = id(1, 1, 1_000);
    table.put(moving, 7, 7);
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> reading =
        CompletableFuture.runAsync(
            () -> {
              while (!done.get()) {
                assertThat(table.contains(moving)).isTrue();
              }
            });
    for (int round = 0; round < 10_000; round++) {
      for (int number = BodyTable.LEAF_ROWS_MAX; number > 0; number--) {
        table.put(id(1, 1, number), 0, 0);
      }
      for (int number = BodyTable.LEAF_ROWS_MAX; number > 0; number--) {
        table.remove(id(1, 1, number));
      }
    }
    done.set(true);
    reading.get();
  }
}
