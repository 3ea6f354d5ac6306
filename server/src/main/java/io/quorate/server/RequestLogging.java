package io.quorate.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.Optional;

/**
 * The log of a verb that lasts a request: warnings to standard error. Set up by hand, since reading
 * the file that configures the log of a node takes longer than the request. Found by Logback by its
 * name in a file; does nothing unless this program is what runs.
 */
@ConfiguratorRank(value = ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class RequestLogging extends ContextAwareBase implements Configurator {
  private static volatile boolean wanted;

  /** To be called before anything is logged. */
  static void use() {
    // Who names a file of their own gets that.
    wanted = System.getProperty("logback.configurationFile") == null;
  }

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (!wanted) {
      return ExecutionStatus.NEUTRAL;
    }
    LogLine encoder = new LogLine();
    encoder.setContext(context);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(appender);
    context
        .getLogger("io.quorate")
        .setLevel(Level.toLevel(Optional.ofNullable(System.getenv(Main.LOG_LEVEL)).orElse("INFO")));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
