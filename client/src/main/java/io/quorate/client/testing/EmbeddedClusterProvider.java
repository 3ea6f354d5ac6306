package io.quorate.client.testing;

import java.util.Optional;

/**
 * What runs the nodes of an {@link EmbeddedCluster}. The server implements it and is found by
 * {@link java.util.ServiceLoader}, since clients do not depend on it; applications have no use for
 * it.
 */
public interface EmbeddedClusterProvider {
  /**
   * What a cluster is to be.
   *
   * @param nodes how many; 1 or more
   * @param regions into how many parts the keys are cut; 1 or more
   * @param preset how replicas agree; empty for the server's default
   */
  record Shape(int nodes, int regions, Optional<String> preset) {}

  /**
   * Starts a cluster on free ports with its data in a new directory, and waits until it serves.
   * Blocks.
   *
   * @throws RuntimeException if it cannot be started or does not serve, with a sentence that says
   *     why; nothing is left behind then
   */
  Nodes start(Shape shape);

  /** The nodes of one cluster, by their numbers from 0. Called by one thread at a time. */
  interface Nodes extends AutoCloseable {
    /** How many there are, whether they run or not. */
    int size();

    /** Where clients reach them, as {@code host:port,host:port}. */
    String addresses();

    /** Starts a node that does not run; does not wait until it serves. Nothing if it runs. */
    void start(int node);

    /** Stops a node in good order. Blocks. Nothing if it does not run. */
    void stop(int node);

    /** Stops every node and deletes the data. Blocks. A second call does nothing. */
    @Override
    void close();
  }
}
