package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TransportSettingsTest {
  @Test
  void theDefaultsAreConsistent() {
    TransportSettings settings = TransportSettings.from(EngineSettings.defaults("rabia"));
    assertThat(settings.frameBytesMax()).isEqualTo(8 << 20);
    assertThat(settings.unsent().bytesMax()).isEqualTo(64 << 20);
    assertThat(settings.connections().reconnectMin())
        .isLessThan(settings.connections().reconnectMax());
  }

  @Test
  void longerFramesRaiseTheOtherBounds() {
    TransportSettings settings = from(Map.of("frame-size-max", "100MiB"));
    assertThat(settings.unsent().bytesMax()).isEqualTo(200 << 20);
    assertThat(settings.requests().bytesMax()).isEqualTo(200 << 20);
  }

  @Test
  void inconsistentSettingsAreRejectedByName() {
    assertThatThrownBy(() -> from(Map.of("reconnect-min", "3s")))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("rabia.reconnect-min")
        .hasMessageContaining("rabia.reconnect-max");
    assertThatThrownBy(() -> from(Map.of("unsent-size-max", "1MiB")))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("rabia.unsent-size-max");
  }

  @Test
  void everyKeyIsRead() {
    Stream.concat(TransportSettings.REQUEST_KEYS.stream(), TransportSettings.MESSAGE_KEYS.stream())
        .forEach(
            key ->
                assertThatThrownBy(() -> from(Map.of(key, "much")))
                    .isInstanceOf(SettingException.class)
                    .hasMessageContaining("rabia." + key));
  }

  @Test
  void namesContainTheSection() {
    TransportSettings settings = TransportSettings.from(EngineSettings.defaults("rabia"));
    assertThat(settings.key("frame-size-max")).isEqualTo("rabia.frame-size-max");
    assertThat(settings.engineName()).isEqualTo("Rabia");
    assertThat(settings.threadName("transport")).isEqualTo("quorate-rabia-transport");
  }

  private static TransportSettings from(Map<String, String> values) {
    return TransportSettings.from(new EngineSettings("rabia", values));
  }
}
