package io.quorate.client.testing;

import io.quorate.client.ClientOptions;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A cluster in the JVM of a test: real nodes that agree over real sockets on free ports of
 * 127.0.0.1 and write to real files in a temporary directory, which the close deletes.
 *
 * <pre>{@code
 * try (EmbeddedCluster cluster = EmbeddedCluster.start(3);
 *     QuorateClient client = QuorateClient.connect(cluster.options())) {
 *   client.put("greeting", "hello");
 * }
 * }</pre>
 *
 * <p>Several clusters may run at once. The server has to be on the class path of the tests:
 * artifact {@code io.quorate:quorate-server}, scope test. Nodes that share a JVM also share its
 * fate: that a process is killed, or its network cut, is to be tested with {@link QuorateContainer}
 * or processes.
 *
 * <p>Safe for use by many threads; calls that start or stop nodes wait for each other.
 */
public final class EmbeddedCluster implements AutoCloseable {
  private final EmbeddedClusterProvider.Nodes nodes;

  private EmbeddedCluster(EmbeddedClusterProvider.Nodes nodes) {
    this.nodes = nodes;
  }

  /**
   * Starts a cluster and waits until it serves, which takes a few seconds. Blocks.
   *
   * @param nodes how many; 1 for speed, 3 or 5 to see nodes come and go
   * @throws IllegalStateException if the server is not on the class path
   * @throws RuntimeException if the cluster cannot be started or does not serve, with a sentence
   *     that says why; nothing is left behind then
   */
  public static EmbeddedCluster start(int nodes) {
    return builder().nodes(nodes).start();
  }

  /**
   * As {@link #start(int)}, with a choice of how replicas agree.
   *
   * @param preset a name that the server knows, such as {@code raft}
   */
  public static EmbeddedCluster start(int nodes, String preset) {
    return builder().nodes(nodes).preset(preset).start();
  }

  /** A cluster of one node, one region and the server's default preset, to be changed. */
  public static Builder builder() {
    return new Builder();
  }

  private static EmbeddedCluster start(EmbeddedClusterProvider.Shape shape) {
    EmbeddedClusterProvider provider =
        ServiceLoader.load(EmbeddedClusterProvider.class)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "An embedded cluster needs the server on the class path: add the dependency"
                            + " io.quorate:quorate-server with scope test, in the version"
                            + " of io.quorate:quorate-client."));
    return new EmbeddedCluster(provider.start(shape));
  }

  /** How many nodes the cluster has, whether they run or not. */
  public int size() {
    return nodes.size();
  }

  /** Where clients reach the nodes, as {@code host:port,host:port}; the same after restarts. */
  public String addresses() {
    return nodes.addresses();
  }

  /** The default options of a client, with this cluster's addresses. */
  public ClientOptions options() {
    return ClientOptions.of(addresses());
  }

  /**
   * Stops a node in good order, as an operator would; its data stays. Blocks, for a few seconds at
   * most. Nothing if the node does not run.
   *
   * @param node from 0
   */
  public synchronized void stopNode(int node) {
    nodes.stop(Objects.checkIndex(node, size()));
  }

  /**
   * Starts a node that was stopped, with its data and its addresses. Does not wait until the node
   * serves: the calls of clients do, up to their deadlines. Nothing if the node runs.
   *
   * @param node from 0
   */
  public synchronized void startNode(int node) {
    nodes.start(Objects.checkIndex(node, size()));
  }

  /** Stops every node and deletes the data. Blocks. A second call does nothing. */
  @Override
  public synchronized void close() {
    nodes.close();
  }

  /** Collects what a cluster is to be. */
  public static final class Builder {
    private int nodes = 1;
    private int regions = 1;
    private Optional<String> preset = Optional.empty();

    private Builder() {}

    /** How many nodes: 1 for speed, 3 or 5 to see nodes come and go. */
    public Builder nodes(int value) {
      nodes = value;
      return this;
    }

    /**
     * Into how many regions the keys are cut, as in production: a {@link io.quorate.client.Batch}
     * lies in one.
     */
    public Builder regions(int value) {
      regions = value;
      return this;
    }

    /** How replicas agree: a name that the server knows, such as {@code raft}. */
    public Builder preset(String value) {
      preset = Optional.of(value);
      return this;
    }

    /** As {@link EmbeddedCluster#start(int)}. */
    public EmbeddedCluster start() {
      return EmbeddedCluster.start(new EmbeddedClusterProvider.Shape(nodes, regions, preset));
    }
  }
}
