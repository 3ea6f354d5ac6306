package io.quorate.benchmarks.peers.contender;

import io.quorate.benchmarks.kv.KeyValueCalls;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A connection to another database. It rejects deletes and scans, which no load of the comparison
 * has: not every peer has a call that means the same.
 */
public abstract class PeerConnection implements KeyValueCalls, AutoCloseable {

  @Override
  public abstract CompletionStage<Optional<byte[]>> get(byte[] key);

  @Override
  public final CompletionStage<?> delete(byte[] key) {
    throw new UnsupportedOperationException("Only puts and gets are compared.");
  }

  @Override
  public final CompletionStage<?> scan(byte[] start, int rows) {
    throw new UnsupportedOperationException("Only puts and gets are compared.");
  }

  @Override
  public abstract void close();
}
