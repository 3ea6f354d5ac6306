package io.quorate.server.node;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StorageConfig;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.util.function.Consumer;

/** What the storage needs of the node and its configuration. */
final class StorageSetup {
  private StorageSetup() {}

  /**
   * What the node does when its storage changes.
   *
   * @param regionChanged called when a region begins by a split, which is to be opened at once, or
   *     is merged
   * @param damaged called with a sentence if files of the database are damaged; must not block
   */
  static StorageListener listener(
      Runnable regionChanged,
      Consumer<String> damaged,
      Consumer<ConsensusException.Fatal> onFatal) {
    return new StorageListener() {
      @Override
      public void damaged(StorageFailure failure) {
        damaged.accept(failure.message());
      }

      @Override
      public void bodiesFailed(IOException cause) {
        onFatal.accept(
            new ConsensusException.Fatal("The bodies of large values cannot be written", cause));
      }

      @Override
      public void childBegan(GroupId child) {
        regionChanged.run();
      }

      @Override
      public void merging(GroupId region) {
        regionChanged.run();
      }
    };
  }

  static StorageOptions options(ServerConfig config) {
    StorageConfig storage = config.storage();
    StorageConfig.Files files = storage.files();
    return StorageOptions.DEFAULT.toBuilder()
        .wal(
            switch (files.wal()) {
              case OFF -> StorageOptions.Wal.OFF;
              case ON -> StorageOptions.Wal.ON;
              case SYNCED -> StorageOptions.Wal.SYNCED;
            })
        .writeBufferBytes(files.writeBufferBytes())
        .blockCacheBytes(files.blockCacheBytes())
        .blobBytesMin(files.blobBytesMin())
        .openFiles(files.openMax())
        .flushInterval(files.flushInterval())
        .applyThreads(storage.apply().threads())
        .applyQueueBatches(storage.apply().queueBatches())
        .applyQueueBytes(storage.apply().queueBytes())
        .replyAtCommit(config.mode().reply() == ClusterMode.Reply.AT_COMMIT)
        .readAcceleration(config.mode().readAcceleration() == ClusterMode.ReadAcceleration.ON)
        .overlayChanges(storage.overlay().changes())
        .overlayBytes(storage.overlay().bytes())
        .scans(
            switch (storage.overlay().scan()) {
              case MERGE -> StorageOptions.Scans.MERGE;
              case COST_MODEL -> StorageOptions.Scans.COST_MODEL;
            })
        .bodies(config.mode().replication() == ClusterMode.Replication.CODED)
        .bodySweepInterval(storage.bodies().sweepInterval())
        .scrubInterval(storage.checks().scrubInterval())
        .build();
  }
}
