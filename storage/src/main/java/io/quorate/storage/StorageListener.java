package io.quorate.storage;

import io.quorate.consensus.GroupId;
import java.util.Optional;

/**
 * Told when the state can no longer be written and when it can again. Called on storage threads;
 * must not block and must not throw.
 */
public interface StorageListener {

  /** The first of a row of failures. Further attempts that fail alike are not told. */
  void failed(StorageFailure failure);

  /**
   * An attempt has succeeded again.
   *
   * @param region the region, as in the failure that this ends
   */
  void recovered(Optional<GroupId> region);

  /** Listens to nothing; failures are logged all the same. */
  StorageListener NONE =
      new StorageListener() {
        @Override
        public void failed(StorageFailure failure) {}

        @Override
        public void recovered(Optional<GroupId> region) {}
      };
}
