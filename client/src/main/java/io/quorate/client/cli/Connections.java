package io.quorate.client.cli;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The clients that verbs use: one for each verb, or, in a program that executes many verbs, one for
 * all that have the same options. For use by one thread at a time.
 */
public final class Connections implements AutoCloseable {
  private static final int KEPT_MAX = 8;

  private final boolean areKept;
  private final Map<ClientOptions, QuorateClient> kept = new LinkedHashMap<>();

  private Connections(boolean areKept) {
    this.areKept = areKept;
  }

  /** Each verb has a client of its own. */
  public static Connections ofOneVerb() {
    return new Connections(false);
  }

  /** Verbs with the same options share a client, until {@link #close}. */
  public static Connections shared() {
    return new Connections(true);
  }

  QuorateClient open(ClientOptions options) {
    if (!areKept) {
      return connect(options);
    }
    if (!kept.containsKey(options) && kept.size() == KEPT_MAX) {
      Iterator<QuorateClient> eldest = kept.values().iterator();
      eldest.next().close();
      eldest.remove();
    }
    return kept.computeIfAbsent(options, Connections::connect);
  }

  void release(QuorateClient client) {
    if (!areKept) {
      client.close();
    }
  }

  private static QuorateClient connect(ClientOptions options) {
    return AsyncQuorateClient.open(options).blocking();
  }

  @Override
  public void close() {
    kept.values().forEach(QuorateClient::close);
    kept.clear();
  }
}
