package io.quorate.server.cli.verb;

import io.quorate.client.ClientOptions;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateException;
import io.quorate.model.Guarantee;
import io.quorate.server.cli.format.Rendering;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Suggests keys that begin with the text that a user has typed. Not thread-safe. */
public final class KeySuggestions {
  private static final int KEYS_MAX = 50;

  /** Later suggestions are of no use, because the user has continued to type. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final Connections connections;
  private final ClientOptions options;

  /**
   * @throws IllegalArgumentException if the options are not valid
   */
  public KeySuggestions(Connections connections, ConnectOptions cluster) {
    this.connections = connections;
    this.options =
        cluster
            .builder()
            .clientName("cli")
            .deadline(TIMEOUT)
            .attemptTimeout(TIMEOUT)
            .guarantee(Guarantee.LOCAL)
            .build();
  }

  /**
   * Returns the first keys with the prefix that are text, in key order; empty if the cluster does
   * not respond. Blocks briefly.
   */
  public List<String> startingWith(String prefix) {
    List<String> keys = new ArrayList<>();
    try {
      for (KeyValue row : connections.open(options).scanPrefix(prefix)) {
        if (Rendering.isText(row.key())) {
          keys.add(row.keyText());
        }
        if (keys.size() == KEYS_MAX) {
          break;
        }
      }
    } catch (QuorateException | IllegalArgumentException e) {
      // The verb itself reports the error.
      return List.of();
    }
    return keys;
  }
}
