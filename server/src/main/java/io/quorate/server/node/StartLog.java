package io.quorate.server.node;

import io.quorate.server.config.ServerConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** The first lines of a node's log: its settings, and those that need the operator's attention. */
final class StartLog {
  private static final Logger LOG = LoggerFactory.getLogger(StartLog.class);

  private StartLog() {}

  static void log(ServerConfig config, String version) {
    LoggingEventBuilder line =
        LOG.atInfo()
            .addKeyValue("version", version)
            .addKeyValue("node", config.node().id())
            .addKeyValue("cluster", config.cluster().id())
            .addKeyValue("preset", config.presetName());
    config.mode().texts().forEach(line::addKeyValue);
    line.addKeyValue("security", config.security().text());
    line.addKeyValue("data", config.node().data().toAbsolutePath());
    config.node().log().ifPresent(log -> line.addKeyValue("log", log));
    line.addKeyValue("heapBytesMax", Runtime.getRuntime().maxMemory())
        .addKeyValue("processors", Runtime.getRuntime().availableProcessors())
        .log("Starting");
    List<String> overrides = config.overridesOfPreset();
    if (!overrides.isEmpty()) {
      LOG.atWarn()
          .addKeyValue("preset", config.presetName())
          .addKeyValue("overrides", String.join(", ", overrides))
          .log("Other keys override the preset");
    }
    if (config.cluster().replicas() % 2 == 0) {
      LOG.atWarn()
          .addKeyValue("cluster.replicas", config.cluster().replicas())
          .log("An even number of replicas tolerates no more failures than one replica fewer");
    }
    deafness(config.node().bind(), config.self().host())
        .ifPresent(
            problem ->
                LOG.atWarn()
                    .addKeyValue("host", config.self().host())
                    .addKeyValue("bind", config.node().bind())
                    .log(problem));
    if (config.security().isOff()) {
      LOG.atWarn()
          .addKeyValue("bind", config.node().bind())
          .log(
              "Security is off: whoever can reach the ports of this node can read and write"
                  + " everything");
    }
  }

  /**
   * Why others cannot connect to a node, as far as this machine can tell: it listens on loopback,
   * and they connect to another address. Blocks on name lookups.
   *
   * @param bind the address to listen on
   * @param host the name or address that others connect to
   * @return a sentence; empty if nothing is wrong
   */
  static Optional<String> deafness(String bind, String host) {
    try {
      List<InetAddress> listens = List.of(InetAddress.getAllByName(bind));
      boolean isFound = Stream.of(InetAddress.getAllByName(host)).anyMatch(listens::contains);
      return isFound || !listens.get(0).isLoopbackAddress()
          ? Optional.empty()
          : Optional.of(
              "The node listens on the loopback address "
                  + bind
                  + ", and clients and other nodes connect to "
                  + host
                  + ", where nothing responds unless another program forwards to it; set node.bind to"
                  + " the address of its host");
    } catch (UnknownHostException e) {
      // A name that only others know may be forwarded; of bind, the next step reports it.
      return Optional.empty();
    }
  }
}
