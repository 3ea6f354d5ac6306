package io.quorate.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LogLineTest {
  private final LoggerContext context = new LoggerContext();
  private final LogLine line = new LogLine();

  @BeforeEach
  void start() {
    line.setContext(context);
    line.start();
  }

  @Test
  void namesItsValues() {
    assertThat(written(event("Denied", null, "ada")))
        .contains(" WARN ")
        .endsWith("LogLineTest - Denied user=\"ada\"" + System.lineSeparator());
  }

  /** A name of a user that invents a line, and one that colours a terminal. */
  @Test
  void keepsAnEventOnItsLine() {
    String text = written(event("Denied\r\nforged", null, "a\n2026 INFO forged\u001b[31m\u0085"));
    assertThat(text.lines()).hasSize(1);
    assertThat(text).contains("Denied??forged").contains("\"a?2026 INFO forged?[31m?\"");
  }

  @Test
  void keepsTheLinesOfATrace() {
    Exception cause = new IllegalStateException("cause\n2026 INFO forged");
    Exception failure = new IllegalArgumentException("first\u001b[2J", cause);
    failure.addSuppressed(new IllegalStateException("second"));
    List<String> lines = written(event("Failed", failure, "ada")).lines().toList();
    assertThat(lines.get(1)).isEqualTo("java.lang.IllegalArgumentException: first?[2J");
    assertThat(lines.get(2)).startsWith("\tat io.quorate.server.LogLineTest.");
    assertThat(lines)
        .contains("Caused by: java.lang.IllegalStateException: cause?2026 INFO forged")
        .contains("\tSuppressed: java.lang.IllegalStateException: second")
        .noneMatch(read -> read.startsWith("2026 INFO"));
  }

  private String written(LoggingEvent event) {
    return new String(line.encode(event), UTF_8);
  }

  private LoggingEvent event(String message, Throwable failure, String user) {
    LoggingEvent event =
        new LoggingEvent(
            LogLineTest.class.getName(),
            context.getLogger(LogLineTest.class),
            Level.WARN,
            message,
            failure,
            null);
    event.setKeyValuePairs(List.of(new KeyValuePair("user", user)));
    return event;
  }
}
