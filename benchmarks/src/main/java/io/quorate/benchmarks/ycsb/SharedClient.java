package io.quorate.benchmarks.ycsb;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import java.util.HashMap;
import java.util.Map;

/**
 * One client for all threads with the same options, because YCSB creates a binding for each thread.
 * It is closed with the last of its users. Thread-safe.
 */
final class SharedClient implements AutoCloseable {
  private static final Map<ClientOptions, SharedClient> OPEN = new HashMap<>();

  private final ClientOptions options;
  private final QuorateClient client;
  private int users;

  private SharedClient(ClientOptions options) {
    this.options = options;
    this.client = QuorateClient.connect(options);
  }

  /**
   * Returns the client with these options; the first user connects it, and the others wait for
   * that. Blocks.
   *
   * @throws io.quorate.client.QuorateException if no node of a cluster can be reached
   */
  static SharedClient open(ClientOptions options) {
    synchronized (OPEN) {
      SharedClient shared = OPEN.computeIfAbsent(options, SharedClient::new);
      shared.users++;
      return shared;
    }
  }

  QuorateClient client() {
    return client;
  }

  /** Each user closes it once. */
  @Override
  public void close() {
    synchronized (OPEN) {
      users--;
      if (users == 0) {
        OPEN.remove(options);
        client.close();
      }
    }
  }
}
