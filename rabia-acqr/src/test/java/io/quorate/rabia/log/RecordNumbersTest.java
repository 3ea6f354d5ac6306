package io.quorate.rabia.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordNumbersTest {
  @Test
  void theLastRecordUpToANumberIsFound() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    RecordNumbers numbers = new RecordNumbers();
    List<Long> added = new ArrayList<>();
    long number = 5;
    long asked = 0;
    assertThat(numbers.lastUpTo(Long.MAX_VALUE - 1)).isZero();
    for (int step = 0; step < 10_000; step++) {
      if (random.nextInt(3) > 0) {
        number += random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1;
        numbers.add(number);
        added.add(number);
      } else if (asked < number) {
        asked += random.nextInt((int) (number - asked) + 1);
        long through = asked;
        assertThat(numbers.lastUpTo(asked))
            .as("seed %d, step %d", seed, step)
            .isEqualTo(added.stream().filter(each -> each <= through).count());
      }
    }
  }
}
