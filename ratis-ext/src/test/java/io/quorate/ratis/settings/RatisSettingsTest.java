package io.quorate.ratis.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Membership;
import io.quorate.consensus.SettingException;
import io.quorate.model.Guarantee;
import io.quorate.quorum.QuorumReads;
import io.quorate.ratis.RatisEngineProvider;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RatisSettingsTest {
  @Test
  void theDefaultsAreConsistent() {
    RatisSettings settings = RatisSettings.from(EngineSettings.defaults("raft"));
    assertThat(settings.elections().timeoutMin()).isLessThan(settings.elections().timeoutMax());
    assertThat(settings.elections().firstTimeoutMin())
        .isLessThan(settings.elections().firstTimeoutMax());
    assertThat(settings.proposals().entryBytesMax()).isGreaterThan(4 << 20);
    assertThat(settings.proposals().queueBytesMax())
        .isGreaterThan(settings.proposals().entryBytesMax());
    assertThat(settings.elections().leaseDrift())
        .as("leases depend on clocks, so they are off")
        .isEmpty();
  }

  @Test
  void theDefaultDriftIsAFifthOfTheLeaseGrant() {
    RatisSettings settings = from("lease", "on", "election-timeout-min", "500ms");
    assertThat(settings.leaseGrant()).isEqualTo(Duration.ofMillis(500));
    assertThat(settings.elections().leaseDrift()).contains(Duration.ofMillis(100));
  }

  @Test
  void withLeasesTheFirstElectionWaitsForALeaseGrant() {
    RatisSettings settings = from("lease", "on");
    assertThat(settings.elections().firstTimeoutMin())
        .isGreaterThanOrEqualTo(settings.leaseGrant());
    assertRejected(
        "raft.first-election-timeout-min", "lease", "on", "first-election-timeout-min", "300ms");
  }

  @ParameterizedTest
  @CsvSource({
    "election-timeout-min, 49ms",
    "election-timeout-min, 61s",
    "election-timeout-max, 0ms",
    "first-election-timeout-min, soon",
    "first-election-timeout-max, 2h",
    "entry-size-max, 63KiB",
    "entry-size-max, 161MiB",
    "coded.min-value, 3MiB",
    "batch-size-max, 1023B",
    "batch-commands-max, 0",
    "batch-commands-max, many",
    "entries-in-flight-max, 0",
    "entries-in-flight-max, 1025",
    "queue-commands-max, 0",
    "queue-size-max, 1KiB",
    "confirm-timeout, 1ms",
    "lease, perhaps",
    "lease-drift, 0ms",
    "segment-size, 1KiB",
    "appends-in-flight-max, -1",
    "log-retained-entries, -1",
    "log-retained-for-slow-entries, 1.5",
    "purge-interval, 10",
    "snapshot-chunk-size, 32MiB",
    "snapshot-idle-timeout, 100ms"
  })
  void aValueOutOfBoundsIsRejectedByName(String key, String value) {
    assertRejected("raft." + key, key, value);
  }

  @ParameterizedTest
  @CsvSource({"election-timeout, 3s, 2s", "election-timeout, 2s, 2s"})
  @CsvSource({"first-election-timeout, 700ms, 600ms"})
  void theMinimumTimeoutIsBelowTheMaximum(String key, String min, String max) {
    assertRejected("raft." + key + "-min must be below", key + "-min", min, key + "-max", max);
  }

  @Test
  void anEntryFitsAFrame() {
    assertRejected("raft.frame-size-max", "entry-size-max", "8MiB");
    assertThat(from("entry-size-max", "8MiB", "frame-size-max", "9MiB").proposals().entryBytesMax())
        .isEqualTo(8 << 20);
  }

  @Test
  void theDriftIsAtMostHalfOfTheLeaseGrant() {
    assertRejected("raft.lease-drift", "lease", "on", "lease-drift", "501ms");
    assertThat(from("lease", "on", "lease-drift", "500ms").elections().leaseDrift()).isPresent();
  }

  @Test
  void anUnknownKeyIsRejectedByName() {
    assertRejected("raft.leases", "leases", "on");
  }

  @Test
  void theCapabilitiesFollowTheSettings() {
    RatisEngineProvider provider = new RatisEngineProvider();
    assertThat(provider.capabilities(EngineSettings.defaults("raft")))
        .satisfies(offered -> assertThat(offered.clockDrift()).isEmpty())
        .satisfies(
            offered ->
                assertThat(offered.offers(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED)).isFalse())
        .satisfies(
            offered ->
                assertThat(offered.controls())
                    .containsExactlyInAnyOrder(
                        Leadership.class,
                        QuorumReads.class,
                        FollowerReads.class,
                        BodyReplication.class,
                        Membership.class));
    assertThat(provider.capabilities(new EngineSettings("raft", Map.of("lease", "on"))))
        .satisfies(offered -> assertThat(offered.clockDrift()).isPresent())
        .satisfies(
            offered ->
                assertThat(offered.offers(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED)).isTrue());
  }

  private static void assertRejected(String message, String... settings) {
    assertThatThrownBy(() -> from(settings))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining(message)
        .hasMessageEndingWith(".");
  }

  private static RatisSettings from(String... settings) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < settings.length; i += 2) {
      values.put(settings[i], settings[i + 1]);
    }
    return RatisSettings.from(new EngineSettings("raft", values));
  }
}
