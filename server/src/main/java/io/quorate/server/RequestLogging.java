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
 * Configures the log of a verb that only sends requests: warnings to standard error. Configured in
 * code, because reading the log configuration file of a node takes longer than a request. Logback
 * loads this class through a service file; it does nothing unless {@link #use} was called.
 */
@ConfiguratorRank(value = ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class RequestLogging extends ContextAwareBase implements Configurator {
  private static volatile boolean enabled;

  /** Enables this configuration; must be called before the first log event. */
  static void use() {
    // A configuration file that the operator has named takes precedence.
    enabled = System.getProperty("logback.configurationFile") == null;
  }

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (!enabled) {
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
