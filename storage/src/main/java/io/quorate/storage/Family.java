package io.quorate.storage;

import java.nio.charset.StandardCharsets;

/** The column families of the database. */
enum Family {
  /** Users' rows, keys as they are. */
  DATA("data"),
  /** Rows of the cluster's metadata, keys as they are. */
  SYSTEM("system"),
  /** Client sessions, see {@link SessionRows}. */
  SESSIONS("sessions"),
  /** Applied positions, install markers, the format; see {@link MetaRows}. */
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
