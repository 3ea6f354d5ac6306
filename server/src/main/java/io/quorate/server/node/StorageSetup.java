package io.quorate.server.node;

import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StorageConfig;
import io.quorate.storage.options.StorageOptions;

/** Converts the configuration into the options of storage. */
final class StorageSetup {
  private StorageSetup() {}

  static StorageOptions options(ServerConfig config) {
    StorageConfig storage = config.storage();
    return new StorageOptions(
        switch (storage.wal()) {
          case OFF -> StorageOptions.Wal.OFF;
          case ON -> StorageOptions.Wal.ON;
          case SYNCED -> StorageOptions.Wal.SYNCED;
        },
        storage.writeBufferBytes(),
        storage.blockCacheBytes(),
        storage.blobBytesMin(),
        storage.openFiles(),
        storage.flushInterval(),
        storage.applyThreads(),
        storage.applyQueueBatches(),
        storage.applyQueueBytes(),
        config.mode().reply() == ClusterMode.Reply.AT_COMMIT,
        config.mode().readAcceleration() == ClusterMode.ReadAcceleration.ON,
        storage.overlayChanges(),
        storage.overlayBytes(),
        switch (storage.scan()) {
          case MERGE -> StorageOptions.Scans.MERGE;
          case COST_MODEL -> StorageOptions.Scans.COST_MODEL;
        },
        config.mode().replication() == ClusterMode.Replication.CODED,
        storage.bodySweepInterval());
  }
}
