package io.quorate.storage;

/** Which column family holds a region's rows. */
public enum Keyspace {
  /** Users' keys. */
  DATA,

  /** The cluster's metadata, apart from users' keys so that regions may cover all of those. */
  SYSTEM
}
