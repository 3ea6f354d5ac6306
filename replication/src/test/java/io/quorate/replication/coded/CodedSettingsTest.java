package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import io.quorate.replication.coded.round.BodyQuorums;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodedSettingsTest {
  private static final int ENTRY_BYTES_MAX = 4 << 20;

  private static CodedSettings from(String key, String value) {
    return CodedSettings.from(
        new EngineSettings("raft", Map.of("coded." + key, value)), ENTRY_BYTES_MAX);
  }

  @Test
  void defaults() {
    CodedSettings settings = CodedSettings.from(EngineSettings.defaults("raft"), ENTRY_BYTES_MAX);
    assertThat(settings.bodyBytesMin()).isEqualTo(256 << 10);
    assertThat(settings.copies().enabled()).isTrue();
    assertThat(settings.copies().after()).isEqualTo(Duration.ofMillis(200));
    assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.inFlight().max()).isEqualTo(256);
    assertThat(settings.inFlight().bytesMax()).isEqualTo(128 << 20);
    assertThat(settings.chunkBytes()).isEqualTo(1 << 20);
    assertThat(settings.fetchTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.transferBytesPerSecondMin()).isEqualTo(4 << 20);
  }

  @Test
  void byDefaultEntriesHaveRoomForTheLongestValueInTheLog() {
    EngineSettings none = EngineSettings.defaults("raft");
    assertThat(CodedSettings.from(none, 64 << 10).bodyBytesMin()).isEqualTo(32 << 10);
  }

  /** Otherwise complete copies would be sent of every large body, however fast its fragments. */
  @Test
  void aLongerBodyMayTakeLonger() {
    CodedSettings settings = from("transfer-rate-min", "16MiB");
    assertThat(settings.transferNanos(0)).isZero();
    assertThat(settings.transferNanos(64 << 20)).isEqualTo(Duration.ofSeconds(4).toNanos());
  }

  @ParameterizedTest
  @CsvSource({"3, 2", "5, 3", "7, 4"})
  void byDefaultAMajorityOfFragmentsRestoresABody(int servers, int dataFragments) {
    assertThat(
            CodedSettings.from(EngineSettings.defaults("raft"), ENTRY_BYTES_MAX).quorums(servers))
        .isEqualTo(new BodyQuorums(servers, dataFragments));
  }

  @Test
  void theNumberOfFragmentsFitsTheGroup() {
    assertThat(from("data-fragments", "3").quorums(5)).isEqualTo(new BodyQuorums(5, 3));
    assertThatThrownBy(() -> from("data-fragments", "3").requireFit(3))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("coded.data-fragments is at most 2");
    assertThatThrownBy(() -> from("extra-copies", "2").requireFit(3))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("coded.extra-copies at most 1");
  }

  /** While its members change, a group may have a number for which nothing is configured. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "4, 2", "6, 2"})
  void otherGroupsHaveAsManyFragmentsAsTheyCan(int servers, int dataFragments) {
    CodedSettings settings = from("data-fragments", "2");
    settings.requireFit(servers);
    assertThat(settings.quorums(servers)).isEqualTo(new BodyQuorums(servers, dataFragments));
  }

  @ParameterizedTest
  @CsvSource({
    "min-value, 1023B",
    "min-value, 2GiB",
    "data-fragments, 5",
    "extra-copies, 4",
    "fallback, perhaps",
    "fallback-after, 1ms",
    "timeout, 2m",
    "bodies-in-flight-max, 0",
    "bodies-in-flight-size-max, 1KiB",
    "chunk-size, 65MiB",
    "fetch-timeout, 0s",
    "transfer-rate-min, 1KiB"
  })
  void whatIsOutOfBoundsIsRejectedByName(String key, String value) {
    assertThatThrownBy(() -> from(key, value))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("coded." + key);
  }
}
