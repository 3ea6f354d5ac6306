package io.quorate.server.cli.verb;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Provides clients to verbs: a new client for each verb or, in a program that executes many verbs,
 * one client for all verbs with the same options. Not thread-safe.
 */
public final class Connections implements AutoCloseable {
  private static final int CLIENTS_MAX = 8;

  private final boolean isShared;
  private final Map<ClientOptions, QuorateClient> clients = new LinkedHashMap<>();

  private Connections(boolean isShared) {
    this.isShared = isShared;
  }

  /** Creates a new client for each verb. */
  public static Connections ofOneVerb() {
    return new Connections(false);
  }

  /** Shares one client among the verbs with the same options, until {@link #close}. */
  public static Connections shared() {
    return new Connections(true);
  }

  QuorateClient open(ClientOptions options) {
    if (!isShared) {
      return connect(options);
    }
    if (!clients.containsKey(options) && clients.size() == CLIENTS_MAX) {
      Iterator<QuorateClient> eldest = clients.values().iterator();
      eldest.next().close();
      eldest.remove();
    }
    return clients.computeIfAbsent(options, Connections::connect);
  }

  void release(QuorateClient client) {
    if (!isShared) {
      client.close();
    }
  }

  private static QuorateClient connect(ClientOptions options) {
    return AsyncQuorateClient.open(options).blocking();
  }

  @Override
  public void close() {
    clients.values().forEach(QuorateClient::close);
    clients.clear();
  }
}
