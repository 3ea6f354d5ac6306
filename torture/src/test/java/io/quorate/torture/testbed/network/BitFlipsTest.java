package io.quorate.torture.testbed.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BitFlipsTest {
  private static final NodeId ONE = new NodeId("n1");
  private static final NodeId TWO = new NodeId("n2");
  private static final Link HIT = new Link(ONE, TWO);
  private static final Link OTHER = new Link(TWO, ONE);
  private static final int MEAN = 1_000;
  private static final int CHUNK = 700;
  private static final int CHUNKS = 5_000;

  private final BitFlips flips = new BitFlips(Set.of(HIT), MEAN, new Random(3));

  @Test
  void asManyBitsAsRequestedAreFlippedAndCounted() {
    int altered = alteredBits(HIT);

    assertThat(flips.flipped(List.of(TWO))).isEqualTo(altered);
    assertThat(flips.flipped(List.of(ONE))).isZero();
    assertThat(altered).isBetween(CHUNK * CHUNKS / MEAN * 9 / 10, CHUNK * CHUNKS / MEAN * 11 / 10);
  }

  @Test
  void otherLinksAreLeftAlone() {
    assertThat(alteredBits(OTHER)).isZero();
    assertThat(flips.flipped(List.of(ONE, TWO))).isZero();
  }

  @Test
  void whatIsBehindThePassedBytesIsLeftAlone() {
    byte[] chunk = new byte[CHUNK];
    for (int i = 0; i < CHUNKS; i++) {
      flips.pass(HIT, chunk, 1);
    }
    assertThat(bits(chunk, 1)).isZero();
  }

  private int alteredBits(Link link) {
    int altered = 0;
    for (int i = 0; i < CHUNKS; i++) {
      byte[] chunk = new byte[CHUNK];
      flips.pass(link, chunk, CHUNK);
      altered += bits(chunk, 0);
    }
    return altered;
  }

  private static int bits(byte[] bytes, int from) {
    int set = 0;
    for (int i = from; i < bytes.length; i++) {
      set += Integer.bitCount(bytes[i] & 0xFF);
    }
    return set;
  }
}
