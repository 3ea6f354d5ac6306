package io.quorate.server;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;

/**
 * One line per event: time, level, thread, class, message, key=value pairs. Named in logback.xml.
 *
 * <p>What others send, a name of a user for example, cannot begin a line: control characters of
 * messages and values are written as "?", and so are those of exceptions, except for the lines of
 * their traces.
 */
public final class LogLine extends PatternLayoutEncoder {
  private static final String CONTROL = "\\p{Cc}";

  /** A trace has lines that begin with a tab or with the cause, and a tab before "Suppressed". */
  private static final String OUTSIDE_TRACES = "\\r?\\n(?!\\t|Caused by: |$)|[\\p{Cc}&&[^\\n\\t]]";

  /** Also called by Logback. */
  public LogLine() {
    setPattern(
        "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{0} - "
            + "%replace(%msg %kvp){'"
            + CONTROL
            + "','?'}%n"
            + "%replace(%ex){'"
            + OUTSIDE_TRACES
            + "','?'}");
  }
}
