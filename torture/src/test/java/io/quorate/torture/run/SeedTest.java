package io.quorate.torture.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.torture.nemesis.Nemeses;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class SeedTest {
  @Test
  void aSeedIsParsedAsItIsWritten() {
    assertThat(Seed.parse("11-8472").toString()).isEqualTo("11-8472");
  }

  @Test
  void aSeedOfAnotherVersionIsRejected() {
    assertThatThrownBy(() -> Seed.parse("1-8472"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version 1");
    assertThatThrownBy(() -> Seed.parse("8472"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("11-8472");
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

  /** Another nemesis, or another order of them, changes what every seed determines. */
  @Test
  void theNemesesOfAVersionOfTheSchedulesStay() {
    CRC32 names = new CRC32();
    names.update(Nemeses.names().getBytes(StandardCharsets.UTF_8));
    assertThat(names.getValue())
        .as(
            "the names of all nemeses; where they have changed, increment Seed.VERSION (now %d),"
                + " and put the present value here",
            Seed.VERSION)
        .isEqualTo(3_759_613_041L);
  }

  @Test
  void everyNemesisIsDocumented() throws IOException {
    String text = Files.readString(Path.of("..", "docs", "testing.md"));
    int start = text.indexOf("\n### Faults\n");
    List<String> rows =
        text.substring(start, text.indexOf("\n\n", start))
            .lines()
            .filter(line -> line.startsWith("| "))
            .skip(1)
            .flatMap(line -> Arrays.stream(line.split(" \\| ")[0].substring(2).split(", ")))
            .toList();
    assertThat(rows)
        .containsExactlyInAnyOrderElementsOf(Nemeses.ALL.stream().map(Nemesis::name).toList());
  }

  private static List<Schedule.RoundPlan> rounds(Seed seed) {
    Schedule schedule = new Schedule(seed, Nemeses.ALL);
    return List.of(schedule.next(), schedule.next(), schedule.next(), schedule.next());
  }
}
