package io.quorate.protocol.operation;

import java.security.SecureRandom;
import java.util.UUID;

/** The id of a client session: 128 bits, drawn at random when the client starts. */
public record ClientId(long high, long low) {
  /** The id of commands that are never retried; there is no session and no deduplication. */
  public static final ClientId ANONYMOUS = new ClientId(0, 0);

  private static final SecureRandom RANDOM = new SecureRandom();

  /** A random id other than {@link #ANONYMOUS}. */
  public static ClientId random() {
    ClientId id = new ClientId(RANDOM.nextLong(), RANDOM.nextLong());
    return id.equals(ANONYMOUS) ? random() : id;
  }

  @Override
  public String toString() {
    return new UUID(high, low).toString();
  }
}
