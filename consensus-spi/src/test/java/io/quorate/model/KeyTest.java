package io.quorate.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTest {
  @Test
  void bytesAreOrderedUnsignedAndAPrefixComesFirst() {
    List<Key> ordered =
        List.of(Key.EMPTY, key(0), key(0, 0), key(0, 1), key(1), key(0x7f), key(0x80), key(0xff));
    List<Key> sorted = new ArrayList<>(ordered);
    sorted.sort(Comparator.reverseOrder());
    sorted.sort(Comparator.naturalOrder());
    assertThat(sorted).isEqualTo(ordered);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void noKeyIsBetweenAKeyAndTheNext(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      Key key = random(random);
      Key other = random(random);
      assertThat(key.next()).isGreaterThan(key);
      assertThat(other.compareTo(key) > 0 && other.compareTo(key.next()) < 0)
          .as("%s between %s and its successor", other, key)
          .isFalse();
      assertThat(key.equals(other)).isEqualTo(key.compareTo(other) == 0);
      assertThat(Integer.signum(key.compareTo(other)))
          .isEqualTo(-Integer.signum(other.compareTo(key)));
      if (key.equals(other)) {
        assertThat(key).hasSameHashCodeAs(other);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void previousAndNextAreNeighboursAmongKeysOfBoundedSize(long seed) {
    int bytesMax = 3;
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      Key key = random(random);
      if (key.size() > bytesMax || key.isEmpty()) {
        continue;
      }
      Key previous = key.previous(bytesMax);
      assertThat(previous).as("before %s, seed %d", key, seed).isLessThan(key);
      assertThat(previous.size()).isLessThanOrEqualTo(bytesMax);
      assertThat(previous.next(bytesMax)).as("seed %d", seed).isEqualTo(key);
    }
  }

  @Test
  void theLowestAndTheHighestKeyHaveOneNeighbour() {
    assertThat(key(1).previous(3)).isEqualTo(key(0, 0xff, 0xff));
    assertThat(key(1, 0).previous(3)).isEqualTo(key(1));
    assertThat(key(1, 2, 0xff).next(3)).isEqualTo(key(1, 3));
    assertThat(Key.highest(2)).isEqualTo(key(0xff, 0xff));
    assertThat(Key.highest(3).previous(3)).isEqualTo(key(0xff, 0xff, 0xfe));
    assertThatThrownBy(() -> Key.EMPTY.previous(3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Key.highest(3).next(3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Key.highest(4).next(3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Key.highest(4).previous(3))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aCopyIsIndependentOfItsSource() {
    byte[] source = {1, 2};
    Key copy = Key.copyOf(source);
    source[0] = 9;
    assertThat(copy).isEqualTo(key(1, 2));
  }

  @Test
  void unprintableBytesAreEscaped() {
    assertThat(Key.utf8("a b~")).hasToString("\"a b~\"");
    assertThat(key('"', '\\', 0x1f, 0x7f, 0xff)).hasToString("\"\\x22\\x5c\\x1f\\x7f\\xff\"");
    assertThat(Key.EMPTY.isEmpty()).isTrue();
    assertThat(Key.utf8("\u00e4").size()).isEqualTo(2);
  }

  private static Key random(Random random) {
    byte[] bytes = new byte[random.nextInt(4)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) - 1);
    }
    return Key.wrap(bytes);
  }

  private static Key key(int... bytes) {
    byte[] key = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      key[i] = (byte) bytes[i];
    }
    return Key.wrap(key);
  }
}
