package io.quorate.replication.transport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Collects what the transport logs from WARN on; while open, nothing goes to the console. */
public final class TransportLog implements AutoCloseable {
  private final Logger logger =
      (Logger) LoggerFactory.getLogger(TransportLog.class.getPackageName());
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            lines.add(event.getFormattedMessage());
          }
        }
      };

  public TransportLog() {
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.setAdditive(false);
    logger.addAppender(appender);
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setAdditive(true);
  }
}
