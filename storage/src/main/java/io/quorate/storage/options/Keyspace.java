package io.quorate.storage.options;

/** Selects the column family of a region's rows. */
public enum Keyspace {
  /** Users' keys. */
  DATA,

  /**
   * The cluster's metadata, separate so that the regions of {@link #DATA} can cover all user keys.
   */
  SYSTEM
}
