package io.quorate.server;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartRefusal;
import io.quorate.server.node.Engines;
import io.quorate.server.node.QuorateNode;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** Runs one node until the process is told to end. */
@CommandLine.Command(
    name = "server",
    description = "Run one node of a cluster until it is told to stop.",
    mixinStandardHelpOptions = true)
final class ServerCommand implements Callable<Integer> {
  /** The node cannot start as it is configured. */
  static final int EXIT_REFUSED = 2;

  /** The node failed for good (EX_SOFTWARE of sysexits). */
  static final int EXIT_FATAL = 70;

  private static final Logger LOG = LoggerFactory.getLogger(ServerCommand.class);

  private final IntConsumer halt;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @CommandLine.Mixin private ConfigurationOptions configuration;

  /**
   * @param halt ends the process at once, with an exit code
   */
  ServerCommand(IntConsumer halt) {
    this.halt = halt;
  }

  @Override
  public Integer call() throws InterruptedException {
    QuorateNode node;
    try {
      node = start();
    } catch (StartRefusal e) {
      spec.commandLine().getErr().println(e.getMessage());
      LOG.atDebug().setCause(e).log("Refused to start");
      return EXIT_REFUSED;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(node::close, "quorate-shutdown"));
    node.awaitClosed();
    return CommandLine.ExitCode.OK;
  }

  private QuorateNode start() {
    List<String> missing =
        JvmFlags.missing(ManagementFactory.getRuntimeMXBean().getInputArguments());
    if (!missing.isEmpty()) {
      LOG.atWarn()
          .addKeyValue("missing", missing)
          .log("Flags of the JVM are missing that bound its memory and end it when that is full");
    }
    SortedMap<String, ConsensusEngineProvider> engines = Engines.available();
    ServerConfig config = configuration.read(engines.keySet());
    return QuorateNode.start(config, engines.get(config.knobs().engine()), this::fail);
  }

  private void fail(ConsensusException.Fatal failure) {
    LOG.atError()
        .addKeyValue("error", failure.getMessage())
        .addKeyValue("cause", failure.getCause())
        .addKeyValue("rootCause", root(failure))
        .log("This node has failed and ends");
    halt.accept(EXIT_FATAL);
  }

  /** What it began with, such as a disk that is full; engines wrap it more than once. */
  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
