package io.quorate.client.cli;

import io.quorate.client.ClientOptions;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateException;
import io.quorate.consensus.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Keys that begin as a person has begun to type one. For use by one thread at a time. */
public final class KeySuggestions {
  private static final int KEYS_MAX = 50;

  /** Longer, and the person types on. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Connections connections;
  private final ClientOptions options;

  /**
   * @param addresses of the cluster, as {@code --at} takes them
   * @throws IllegalArgumentException if that is not what they are
   */
  public KeySuggestions(Connections connections, String addresses) {
    this.connections = connections;
    this.options =
        ClientOptions.builder(addresses)
            .clientName("cli")
            .deadline(PATIENCE)
            .attemptTimeout(PATIENCE)
            .guarantee(Guarantee.LOCAL)
            .build();
  }

  /**
   * Those that are text, in order; none where the cluster does not respond. Blocks for a moment.
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
    } catch (QuorateException e) {
      // The verb itself will say what is wrong.
      return List.of();
    }
    return keys;
  }
}
