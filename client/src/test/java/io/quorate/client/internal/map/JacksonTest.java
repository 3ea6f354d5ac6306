package io.quorate.client.internal.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.Codec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JacksonTest {
  record Order(String item, int count, Map<String, Integer> sizes) {}

  record Event(Instant at) {}

  private static final Order ORDER = new Order("t\u00e9", 2, Map.of("b", 2, "a", 1));
  private static final String JSON =
      "{\"count\":2,\"item\":\"t\u00e9\",\"sizes\":{\"a\":1,\"b\":2}}";

  private static final List<Codec<Order>> CODECS =
      List.of(Jackson3.codec(Order.class), Jackson2.codec(Order.class));

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** What one of them has written, an application with the other one reads and compares. */
  @Test
  void bothVersionsWriteTheSame() throws Exception {
    for (Codec<Order> codec : CODECS) {
      assertThat(codec.encode(ORDER)).asString(StandardCharsets.UTF_8).isEqualTo(JSON);
      assertThat(codec.decode(bytes(JSON))).isEqualTo(ORDER);
    }
  }

  @Test
  void timesAreText() throws Exception {
    Event event = new Event(Instant.parse("2026-01-02T03:04:05Z"));
    Codec<Event> codec = Codec.json(Event.class);
    assertThat(codec.encode(event))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("{\"at\":\"2026-01-02T03:04:05Z\"}");
    assertThat(codec.decode(codec.encode(event))).isEqualTo(event);
  }

  @Test
  void propertiesThatTheTypeHasLostAreIgnoredAndOtherTextIsRefused() throws Exception {
    for (Codec<Order> codec : CODECS) {
      assertThat(codec.decode(bytes("{\"item\":\"x\",\"count\":1,\"old\":[1]}")).item())
          .isEqualTo("x");
      for (String text : List.of("{\"count\":null}", "{\"count\":1} {}", "text", "")) {
        assertThatThrownBy(() -> codec.decode(bytes(text))).as(text).isInstanceOf(Exception.class);
      }
    }
  }
}
