package io.quorate.ratis.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.ratis.server.storage.RaftStorageMetadata;

/** The states of a replica that is not restarted, for tests of what decides by them. */
public final class StatesInMemory {
  private StatesInMemory() {}

  /** Those of a replica that begins in a term. */
  public static ReplicaStates begin(long term) {
    return begin(term, () -> false);
  }

  /**
   * @param fails whether the disk fails at present
   */
  public static ReplicaStates begin(long term, BooleanSupplier fails) {
    try {
      ReplicaStates states =
          new ReplicaStates(
              (key, value) -> {
                if (fails.getAsBoolean()) {
                  throw new IOException("the test fails the disk");
                }
                return CompletableFuture.completedFuture(null);
              },
              key -> Optional.empty());
      states.setVote(RaftStorageMetadata.valueOf(term, null));
      return states;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
