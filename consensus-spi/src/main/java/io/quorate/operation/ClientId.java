package io.quorate.operation;

import java.security.SecureRandom;
import java.util.UUID;

/** Names one client session; drawn at random when the client starts. */
public record ClientId(long high, long low) {
  /** For commands that nobody would send twice; they are not remembered. */
  public static final ClientId NOBODY = new ClientId(0, 0);

  private static final SecureRandom RANDOM = new SecureRandom();

  public static ClientId random() {
    ClientId id = new ClientId(RANDOM.nextLong(), RANDOM.nextLong());
    return id.equals(NOBODY) ? random() : id;
  }

  @Override
  public String toString() {
    return new UUID(high, low).toString();
  }
}
