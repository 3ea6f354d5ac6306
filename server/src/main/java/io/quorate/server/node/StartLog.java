package io.quorate.server.node;

import io.quorate.server.config.NodeConfig;
import io.quorate.server.config.ServerConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
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
    if (!isLoopback(config.node())) {
      LOG.atWarn()
          .addKeyValue("bind", config.node().bind())
          .log(
              "Any host that can reach the ports for clients and for consensus can read and write"
                  + " everything; keep them in a private network");
    }
  }

  private static boolean isLoopback(NodeConfig node) {
    try {
      return InetAddress.getByName(node.bind()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      // Binding the port fails next and reports the reason.
      return true;
    }
  }
}
