package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.Key;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CodecTest {
  @Test
  void numbersKeepTheirOrderAsKeys() throws Exception {
    long seed = System.nanoTime();
    long[] numbers =
        LongStream.concat(
                LongStream.of(Long.MIN_VALUE, -256, -1, 0, 1, 255, 256, Long.MAX_VALUE),
                new Random(seed).longs(200))
            .toArray();
    TreeMap<Key, Long> longs = new TreeMap<>();
    TreeMap<Key, Integer> ints = new TreeMap<>();
    for (long number : numbers) {
      byte[] eight = Codec.longs().encode(number);
      assertThat(eight).hasSize(8);
      assertThat(Codec.longs().decode(eight)).as("seed %d", seed).isEqualTo(number);
      longs.put(Key.wrap(eight), number);
      byte[] four = Codec.ints().encode((int) number);
      assertThat(four).hasSize(4);
      assertThat(Codec.ints().decode(four)).as("seed %d", seed).isEqualTo((int) number);
      ints.put(Key.wrap(four), (int) number);
    }
    assertThat(longs.values())
        .as("seed %d", seed)
        .containsExactlyElementsOf(Arrays.stream(numbers).sorted().distinct().boxed().toList());
    assertThat(ints.values())
        .as("seed %d", seed)
        .containsExactlyElementsOf(
            Arrays.stream(numbers)
                .mapToInt(each -> (int) each)
                .sorted()
                .distinct()
                .boxed()
                .toList());
  }

  @Test
  void bytesThatAreNoNumberAreRefused() {
    assertThatThrownBy(() -> Codec.longs().decode(new byte[7])).hasMessage("7 bytes instead of 8");
    assertThatThrownBy(() -> Codec.ints().decode(new byte[8])).hasMessage("8 bytes instead of 4");
    assertThatThrownBy(() -> Codec.decimal().decode(new byte[] {'1', (byte) 0xb2}))
        .isInstanceOf(NumberFormatException.class);
  }

  @Test
  void textIsStrict() throws Exception {
    assertThat(Codec.utf8().decode(Codec.utf8().encode("\u00fc\ud83d\ude00")))
        .isEqualTo("\u00fc\ud83d\ude00");
    assertThatThrownBy(() -> Codec.utf8().encode("\ud83d"))
        .hasMessageContaining("half of a surrogate pair");
    assertThatThrownBy(() -> Codec.utf8().decode(new byte[] {(byte) 0xff}))
        .hasMessage("not text in UTF-8");
  }
}
