package io.quorate.storage.options;

import io.quorate.consensus.GroupId;
import java.util.Optional;

/**
 * Notified when the state can no longer be written and when it can again. Called on storage
 * threads; must not block and must not throw.
 */
public interface StorageListener {

  /** A write failed. Called for the first of consecutive failures of the same kind. */
  void failed(StorageFailure failure);

  /**
   * A write has succeeded again.
   *
   * @param region the region of the failure that has ended
   */
  void recovered(Optional<GroupId> region);

  /** Ignores all notifications; failures are still logged. */
  StorageListener NONE =
      new StorageListener() {
        @Override
        public void failed(StorageFailure failure) {}

        @Override
        public void recovered(Optional<GroupId> region) {}
      };
}
