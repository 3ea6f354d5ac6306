package io.quorate.server.testing;

import io.quorate.common.LoopbackPorts;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.ServerConfigParser;
import io.quorate.server.node.Engines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Configurations of clusters whose nodes all run on this machine. */
public final class TestCluster {
  private static final int PORTS_PER_NODE = 3;

  private final Path directory;
  private final int[] ports;

  /** Those that the configurations of other nodes have. */
  private final int[] listedPorts;

  private final String settings;

  /**
   * @param directory holds a directory for each node
   * @param settings keys below {@code quorate}, one on each line
   */
  public TestCluster(Path directory, int nodes, String settings) {
    this.directory = directory;
    this.ports = IntStream.generate(LoopbackPorts::next).limit(nodes * PORTS_PER_NODE).toArray();
    this.listedPorts = ports.clone();
    this.settings = settings;
  }

  /** A node has other ports from now on, which the configurations of the others do not have. */
  public void move(int node) {
    for (int i = 0; i < PORTS_PER_NODE; i++) {
      ports[node * PORTS_PER_NODE + i] = LoopbackPorts.next();
    }
  }

  /** The configurations have the present ports of all nodes from now on. */
  public void listPresentPorts() {
    System.arraycopy(ports, 0, listedPorts, 0, ports.length);
  }

  public int size() {
    return ports.length / PORTS_PER_NODE;
  }

  public int clientPort(int node) {
    return ports[node * PORTS_PER_NODE];
  }

  public int consensusPort(int node) {
    return ports[node * PORTS_PER_NODE + 1];
  }

  public int adminPort(int node) {
    return ports[node * PORTS_PER_NODE + 2];
  }

  /** The addresses of all nodes for clients, separated by commas. */
  public String seeds() {
    List<String> seeds = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      seeds.add("127.0.0.1:" + clientPort(i));
    }
    return String.join(",", seeds);
  }

  /** The configuration of a node, by its number from 0, as text. */
  public String text(int node) {
    return text(node, size(), settings);
  }

  private String text(int node, int configured, String ofNode) {
    StringBuilder nodes = new StringBuilder();
    for (int i = 0; i < configured; i++) {
      nodes.append(
          String.format(
              Locale.ROOT,
              "{ id = n%d, host = \"127.0.0.1\", client-port = %d, consensus-port = %d, admin-port = %d }%n",
              i + 1,
              portOf(node, i, 0),
              portOf(node, i, 1),
              portOf(node, i, 2)));
    }
    return String.format(
        Locale.ROOT,
        """
        quorate {
          cluster { id = "test", nodes = [ %s ] }
          node { id = n%d, data = "%s", bind = "127.0.0.1" }
          storage { free-space-min = 0B }
          %s
        }
        """,
        nodes,
        node + 1,
        directory.resolve("n" + (node + 1)),
        ofNode);
  }

  private int portOf(int configuration, int node, int which) {
    return (configuration == node ? ports : listedPorts)[node * PORTS_PER_NODE + which];
  }

  public ServerConfig config(int node) {
    return config(node, size());
  }

  /**
   * The configuration of a node that has only the first nodes.
   *
   * @param configured how many
   */
  public ServerConfig config(int node, int configured) {
    return config(node, configured, "");
  }

  /**
   * The same with further settings of this node.
   *
   * @param more as the settings of all nodes
   */
  public ServerConfig config(int node, int configured, String more) {
    return new ServerConfigParser(Engines.available().keySet())
        .parseText(text(node, configured, settings + "\n" + more));
  }
}
