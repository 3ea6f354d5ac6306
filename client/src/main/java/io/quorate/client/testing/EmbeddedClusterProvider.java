package io.quorate.client.testing;

import java.util.Optional;

/**
 * Runs the nodes of an {@link EmbeddedCluster}. The server implements this interface and is found
 * with {@link java.util.ServiceLoader}, because clients do not depend on the server; applications
 * have no use for it.
 */
public interface EmbeddedClusterProvider {
  /**
   * The properties of a cluster.
   *
   * @param nodes the number of nodes; 1 or more
   * @param regions the number of regions into which the keys are divided; 1 or more
   * @param preset the name of the combination of replication settings; empty for the server's
   *     default
   */
  record Shape(int nodes, int regions, Optional<String> preset) {}

  /**
   * Starts a cluster on free ports with its data in a new directory, and waits until it serves
   * requests. Blocks.
   *
   * @throws RuntimeException if the cluster cannot be started or does not serve requests, with a
   *     message that names the reason; nothing is left behind
   */
  Nodes start(Shape shape);

  /** The nodes of one cluster, numbered from 0. Called by one thread at a time. */
  interface Nodes extends AutoCloseable {
    /** Returns the number of nodes, running or not. */
    int size();

    /** Returns the client addresses of the nodes, as {@code host:port,host:port}. */
    String addresses();

    /**
     * Starts a stopped node; does not wait until it serves requests. Has no effect if the node
     * runs.
     */
    void start(int node);

    /** Stops a node in an orderly way. Blocks. Has no effect if the node does not run. */
    void stop(int node);

    /** Stops every node and deletes the data. Blocks. A second invocation has no effect. */
    @Override
    void close();
  }
}
