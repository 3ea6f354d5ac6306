package io.quorate.server.verification.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.server.verification.nemesis.Nemeses;
import io.quorate.server.verification.nemesis.Nemesis;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeedTest {
  @Test
  void aSeedReadsAsItIsWritten() {
    assertThat(Seed.parse("3-8472").toString()).isEqualTo("3-8472");
  }

  @Test
  void aSeedOfAnotherVersionIsRefused() {
    assertThatThrownBy(() -> Seed.parse("1-8472"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version 1");
    assertThatThrownBy(() -> Seed.parse("8472"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3-8472");
  }

  @Test
  void theSameSeedMeansTheSameSchedule() {
    assertThat(rounds(new Seed(7))).isEqualTo(rounds(new Seed(7)));
    assertThat(rounds(new Seed(7))).isNotEqualTo(rounds(new Seed(8)));
  }

  @Test
  void everyNemesisComesUpBeforeAnyDoesAgain() {
    Schedule schedule = new Schedule(new Seed(11), Nemeses.ALL);
    Set<Nemesis> seen = new HashSet<>();
    int drawn = 0;
    while (drawn < Nemeses.ALL.size()) {
      for (Schedule.Strike strike : schedule.next().strikes()) {
        if (drawn < Nemeses.ALL.size()) {
          assertThat(seen.add(strike.nemesis())).isTrue();
        }
        drawn++;
      }
    }
    assertThat(seen).hasSameElementsAs(Nemeses.ALL);
  }

  private static List<Schedule.Round> rounds(Seed seed) {
    Schedule schedule = new Schedule(seed, Nemeses.ALL);
    return List.of(schedule.next(), schedule.next(), schedule.next(), schedule.next());
  }
}
