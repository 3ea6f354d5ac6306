package io.quorate.storage.options;

import io.quorate.model.GroupId;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Notified when the state can no longer be written and when it can again, and when a region has
 * split or is merged. Called on storage threads; must not block and must not throw.
 */
public interface StorageListener {

  /**
   * A write failed, for the first of consecutive failures of the same kind, or rows are damaged,
   * for the first time since the start.
   */
  default void failed(StorageFailure failure) {}

  /**
   * Files of the database are damaged: what this node has can no longer be read or applied
   * completely. Called after {@link #failed}, once or more.
   */
  default void damaged(StorageFailure failure) {}

  /**
   * A write has succeeded again.
   *
   * @param region the region of the failure that has ended
   */
  default void recovered(Optional<GroupId> region) {}

  /**
   * An fsync of bodies has failed: none is written any more until the storage is opened again, so
   * the process should end.
   */
  default void bodiesFailed(IOException cause) {}

  /**
   * A region has begun on this node, because its parent was split. Hastens what {@code
   * Storage.children} reports in any case. Called on a thread of the applier.
   *
   * @param child the new region
   */
  default void childBegan(GroupId child) {}

  /**
   * A region of this node has been frozen, is no longer, or has absorbed another one. Hastens what
   * {@code RegionStore.mergeState} reports in any case. Called on a thread of the applier.
   */
  default void merging(GroupId region) {}

  /** Receives only which regions begin or are merged; failures are still logged. */
  static StorageListener ofRegions(Consumer<GroupId> changed) {
    return new StorageListener() {
      @Override
      public void childBegan(GroupId child) {
        changed.accept(child);
      }

      @Override
      public void merging(GroupId region) {
        changed.accept(region);
      }
    };
  }

  /** Ignores all notifications; failures are still logged. */
  StorageListener NONE = new StorageListener() {};
}
