package io.quorate.server.admin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * One response. The bodies must not be modified.
 *
 * @param code the HTTP status code
 * @param type the content type
 * @param body as it is
 * @param gzip the same body, compressed for clients that accept that; empty if it is never
 *     compressed
 * @param headers further headers
 */
record AdminPage(
    int code, String type, byte[] body, Optional<byte[]> gzip, Map<String, String> headers) {
  private static final String TEXT = "text/plain; charset=utf-8";

  AdminPage {
    headers = Map.copyOf(headers);
  }

  static AdminPage of(int code, String text) {
    return new AdminPage(code, TEXT, bytes(text + "\n"), Optional.empty(), Map.of());
  }

  /** Lets a browser ask for a name and a secret. */
  static AdminPage unauthorized(String text) {
    return new AdminPage(
        401,
        TEXT,
        bytes(text + "\n"),
        Optional.empty(),
        Map.of("www-authenticate", "Basic realm=\"Quorate\", charset=\"UTF-8\""));
  }

  static AdminPage of(String type, String body) {
    return new AdminPage(200, type, bytes(body), Optional.empty(), Map.of());
  }

  /**
   * The state of something at this moment, which browsers do not keep. That of many regions is
   * megabytes of text, which compression makes many times shorter.
   */
  static AdminPage json(String json) {
    byte[] body = bytes(json);
    return new AdminPage(
        200,
        "application/json",
        body,
        Optional.of(compressed(body)),
        Map.of(
            "cache-control",
            "no-store",
            "vary",
            "accept-encoding",
            "x-content-type-options",
            "nosniff"));
  }

  private static byte[] compressed(byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
