package io.quorate.server.cli.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RenderingTest {
  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void textIsPrintedLiterallyAndOtherBytesAreEscaped() {
    assertThat(Rendering.line(utf8("grüße 世界"))).isEqualTo("grüße 世界");
    assertThat(Rendering.line(utf8("a\\b\tc\u0085"))).isEqualTo("a\\\\b\\x09c\\xc2\\x85");
    assertThat(Rendering.line(new byte[] {'a', (byte) 0xff, 0, '\\'})).isEqualTo("a\\xff\\x00\\\\");
  }

  @Test
  void controlCharactersAndInvalidUtf8AreNotText() {
    assertThat(Rendering.isText(utf8("two\nlines\tof text"))).isTrue();
    assertThat(Rendering.isText(utf8("\u001b[31m"))).isFalse();
    assertThat(Rendering.isText(new byte[] {(byte) 0xc0})).isFalse();
    assertThat(Rendering.isText(new byte[0])).isTrue();
  }

  @Test
  void json() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a \"quote\", a \\ and a \n");
    map.put("none", Optional.empty());
    map.put("some", Optional.of(5L));
    map.put("list", List.of(1, true));
    map.put("empty", List.of());
    map.put("object", Map.of());
    assertThat(JsonText.of(map).replaceAll("\n *", " "))
        .isEqualTo(
            "{ \"text\": \"a \\\"quote\\\", a \\\\ and a \\u000a\", \"none\": null, \"some\": 5,"
                + " \"list\": [ 1, true ], \"empty\": [], \"object\": {} }");
  }
}
