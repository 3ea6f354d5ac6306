package io.quorate.storage;

import java.nio.charset.StandardCharsets;

/** The column families of the database. */
enum Family {
  /** Users' rows; the row key is the user's key. */
  DATA("data"),
  /** Rows of the cluster's metadata; the row key is the metadata's key. */
  SYSTEM("system"),
  /** Client sessions, see {@link SessionRows}. */
  SESSIONS("sessions"),
  /** Applied positions, install markers and the format version, see {@link MetaRows}. */
  META("meta");

  private final String text;

  Family(String text) {
    this.text = text;
  }

  byte[] nameBytes() {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static Family of(Keyspace keyspace) {
    return switch (keyspace) {
      case DATA -> DATA;
      case SYSTEM -> SYSTEM;
    };
  }
}
