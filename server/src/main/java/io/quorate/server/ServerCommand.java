package io.quorate.server;

import io.quorate.common.ShutdownHook;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.server.config.EnvironmentException;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.logging.StandardError;
import io.quorate.server.node.Engines;
import io.quorate.server.node.QuorateNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import picocli.CommandLine;

/** Runs one node until the process is requested to stop. */
@CommandLine.Command(
    name = "server",
    description = "Run one node of a cluster until it receives a signal to stop.",
    mixinStandardHelpOptions = true)
final class ServerCommand implements Callable<Integer> {
  /** The node cannot start with its configuration or its files; a restart changes nothing. */
  static final int EXIT_REFUSED = 2;

  /** The node failed permanently (EX_SOFTWARE of sysexits). */
  static final int EXIT_FATAL = 70;

  /** The environment failed at the start, such as a disk (EX_IOERR of sysexits). */
  static final int EXIT_ENVIRONMENT = 74;

  private static final Logger LOG = LoggerFactory.getLogger(ServerCommand.class);

  private final IntConsumer halt;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @CommandLine.Mixin private ConfigurationOptions configuration;

  /**
   * @param halt ends the process immediately, with an exit code
   */
  ServerCommand(IntConsumer halt) {
    this.halt = halt;
  }

  @Override
  public Integer call() throws InterruptedException {
    // The default writes to standard error, and waits for it.
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) ->
            LOG.atError()
                .addKeyValue("thread", thread.getName())
                .setCause(failure)
                .log("A thread has failed"));
    QuorateNode node;
    try {
      node = start();
    } catch (StartupException e) {
      LOG.atDebug().setCause(e).log("Refused to start");
      StandardError.flush();
      spec.commandLine().getErr().println(e.getMessage());
      return e instanceof EnvironmentException ? EXIT_ENVIRONMENT : EXIT_REFUSED;
    }
    Optional<HealthFile> healthFile =
        HealthFile.start(Optional.ofNullable(System.getenv(HealthFile.VARIABLE)), node::health);
    new ShutdownHook(
            "quorate-shutdown",
            () -> {
              node.close();
              healthFile.ifPresent(HealthFile::close);
              StandardError.flush();
            })
        .register();
    node.awaitClosed();
    return CommandLine.ExitCode.OK;
  }

  private QuorateNode start() {
    List<String> missing =
        JvmFlags.missing(ManagementFactory.getRuntimeMXBean().getInputArguments());
    if (!missing.isEmpty()) {
      LOG.atWarn()
          .addKeyValue("missing", missing)
          .log("JVM flags are missing that limit its memory and end it when the heap is full");
    }
    SortedMap<String, ConsensusEngineProvider> engines = Engines.available();
    ServerConfig config = configuration.read(engines.keySet());
    config
        .rpc()
        .problem(Runtime.getRuntime().maxMemory())
        .ifPresent(
            problem -> {
              throw new StartupException(problem);
            });
    return QuorateNode.start(config, engines.get(config.mode().engine()), this::fail);
  }

  private void fail(ConsensusException.Fatal failure) {
    LoggingEventBuilder line = LOG.atError().addKeyValue("error", failure.getMessage());
    if (failure.getCause() != null) {
      Throwable root = root(failure);
      line.addKeyValue("cause", failure.getCause()).addKeyValue("rootCause", root);
      if (!(root instanceof IOException)) {
        // Not of the environment, so that where it happened matters.
        line.setCause(failure);
      }
    }
    line.log("This node has failed and ends");
    StandardError.flush();
    halt.accept(EXIT_FATAL);
  }

  /** The root cause, such as a full disk; engines wrap it more than once. */
  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
