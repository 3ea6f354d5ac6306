package io.quorate.torture.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.torture.nemesis.Nemeses;
import io.quorate.torture.nemesis.Nemesis;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeedTest {
  @Test
  void aSeedIsParsedAsItIsWritten() {
    assertThat(Seed.parse("10-8472").toString()).isEqualTo("10-8472");
  }

  @Test
  void aSeedOfAnotherVersionIsRejected() {
    assertThatThrownBy(() -> Seed.parse("1-8472"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version 1");
    assertThatThrownBy(() -> Seed.parse("8472"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10-8472");
  }

  @Test
  void theSameSeedDeterminesTheSameSchedule() {
    assertThat(rounds(new Seed(7))).isEqualTo(rounds(new Seed(7)));
    assertThat(rounds(new Seed(7))).isNotEqualTo(rounds(new Seed(8)));
  }

  @Test
  void everyNemesisIsDrawnOnceBeforeAnyIsDrawnAgain() {
    Schedule schedule = new Schedule(new Seed(11), Nemeses.ALL);
    Set<Nemesis> seen = new HashSet<>();
    int drawn = 0;
    while (drawn < Nemeses.ALL.size()) {
      for (Schedule.Injection injection : schedule.next().injections()) {
        if (drawn < Nemeses.ALL.size()) {
          assertThat(seen.add(injection.nemesis())).isTrue();
        }
        drawn++;
      }
    }
    assertThat(seen).hasSameElementsAs(Nemeses.ALL);
  }

  private static List<Schedule.RoundPlan> rounds(Seed seed) {
    Schedule schedule = new Schedule(seed, Nemeses.ALL);
    return List.of(schedule.next(), schedule.next(), schedule.next(), schedule.next());
  }
}
