package io.quorate.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;

/**
 * Writes log lines to standard error through {@link StandardError}, so that the thread that logs
 * does not wait for it. Named in logback.xml. Any thread; does not block.
 */
public final class QueuedAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private final LineQueue queue;
  private Encoder<ILoggingEvent> encoder;

  /** Also called by Logback. */
  public QueuedAppender() {
    this(StandardError.queue());
  }

  QueuedAppender(LineQueue queue) {
    this.queue = queue;
  }

  /** Called by Logback, with the element {@code encoder}. */
  public void setEncoder(Encoder<ILoggingEvent> encoder) {
    this.encoder = encoder;
  }

  @Override
  public void start() {
    if (encoder == null) {
      addError("The appender " + getName() + " has no encoder.");
      return;
    }
    super.start();
  }

  /** On the thread that logs, because the arguments of an event may change later. */
  @Override
  protected void append(ILoggingEvent event) {
    queue.add(encoder.encode(event));
  }
}
