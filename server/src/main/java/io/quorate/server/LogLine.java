package io.quorate.server;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;

/**
 * One line per event: time, level, thread, class, message, key=value pairs. Named in logback.xml.
 */
public final class LogLine extends PatternLayoutEncoder {
  /** Also called by Logback. */
  public LogLine() {
    setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{0} - %msg %kvp%n");
  }
}
