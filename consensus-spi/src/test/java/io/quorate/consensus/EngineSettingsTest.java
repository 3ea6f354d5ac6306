package io.quorate.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineSettingsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void missingSettingsHaveTheirDefaults() {
    EngineSettings settings = EngineSettings.defaults("raft");
    assertThat(settings.bool("b", true)).isTrue();
    assertThat(settings.integer("i", 7, 0, 10)).isEqualTo(7);
    assertThat(settings.duration("d", HOUR, Duration.ZERO, HOUR)).isEqualTo(HOUR);
    assertThat(settings.bytes("s", 5, 0, 10)).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource({"on, true", "true, true", "YES, true", "off, false", "False, false", "no, false"})
  void aSwitchIsOnOrOff(String text, boolean value) {
    assertThat(with(text).bool("key", !value)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({"250us, 250000", "250ms, 250000000", "2s, 2000000000", "1m, 60000000000"})
  @CsvSource({"' 2 S ', 2000000000", "0s, 0", "0, 0"})
  void aDurationHasAUnit(String text, long nanos) {
    assertThat(with(text).duration("key", HOUR, Duration.ZERO, HOUR))
        .isEqualTo(Duration.ofNanos(nanos));
  }

  @ParameterizedTest
  @CsvSource({"7B, 7", "64KiB, 65536", "4MiB, 4194304", "2gib, 2147483648", "0b, 0", "0, 0"})
  void aSizeHasAUnitOfPowersOf1024(String text, long bytes) {
    assertThat(with(text).bytes("key", 1, 0, Long.MAX_VALUE)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "s", "-1s", "1.5s", "1h", "1 s s", "999999999999999m", "2m"})
  void invalidDurationsAreRejected(String text) {
    assertRejected(
        text,
        settings -> settings.duration("key", HOUR, Duration.ofMillis(1), Duration.ofSeconds(90)),
        "from 1ms to 90s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "KiB", "-1B", "1.5KiB", "1KB", "1k", "999999999999999GiB", "4B"})
  void invalidSizesAreRejected(String text) {
    assertRejected(text, settings -> settings.bytes("key", 1, 5, 1 << 20), "from 5B to 1048576B");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1.0", "0", "11", "99999999999999999999", "0x5"})
  void invalidIntegersAreRejected(String text) {
    assertRejected(text, settings -> settings.integer("key", 5, 1, 10), "from 1 to 10");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "enabled", "truee"})
  void invalidSwitchesAreRejected(String text) {
    assertRejected(text, settings -> settings.bool("key", true), "is on or off");
  }

  @Test
  void theBoundsAreInclusive() {
    assertThat(with("1").integer("key", 5, 1, 10)).isEqualTo(1);
    assertThat(with("10").integer("key", 5, 1, 10)).isEqualTo(10);
    assertThat(with("5B").bytes("key", 7, 5, 6)).isEqualTo(5);
    assertThat(with("6B").bytes("key", 7, 5, 6)).isEqualTo(6);
  }

  @Test
  void anUnknownKeyIsReportedWithTheKnownOnes() {
    EngineSettings settings = new EngineSettings("raft", Map.of("a", "1", "zebra", "1"));
    assertThatCode(() -> settings.requireKnown(Set.of("a", "b", "zebra")))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> settings.requireKnown(Set.of("b", "a")))
        .isInstanceOf(SettingException.class)
        .hasMessage("Unknown setting raft.zebra; known here are [a, b].");
  }

  private interface Getter {
    Object get(EngineSettings settings);
  }

  private static void assertRejected(String text, Getter getter, String form) {
    assertThatThrownBy(() -> getter.get(with(text)))
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith("Setting raft.key ")
        .hasMessageContaining(form)
        .hasMessageEndingWith("it was \"" + text + "\".");
  }

  private static EngineSettings with(String text) {
    return new EngineSettings("raft", Map.of("key", text));
  }
}
