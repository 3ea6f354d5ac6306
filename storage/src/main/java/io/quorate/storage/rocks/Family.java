package io.quorate.storage.rocks;

import io.quorate.storage.options.Keyspace;
import java.nio.charset.StandardCharsets;

/** The column families of the database. */
public enum Family {
  /** Users' rows; the row key is the user's key. */
  DATA("data"),
  /** Rows of the cluster's metadata; the row key is the metadata's key. */
  SYSTEM("system"),
  /** Client sessions, see {@code session.SessionRows}. */
  SESSIONS("sessions"),
  /**
   * Applied positions, bases of regions, install markers and the format version, see {@link
   * MetaRows}.
   */
  META("meta");

  private final String text;

  Family(String text) {
    this.text = text;
  }

  byte[] nameBytes() {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The family of a keyspace's rows. */
  public static Family of(Keyspace keyspace) {
    return switch (keyspace) {
      case DATA -> DATA;
      case SYSTEM -> SYSTEM;
    };
  }
}
