package io.quorate.benchmarks.kv;

import java.util.concurrent.CompletionStage;

/** The calls that are measured. No call blocks; each may complete on any thread. */
public interface KeyValueCalls {
  CompletionStage<?> put(byte[] key, byte[] value);

  CompletionStage<?> get(byte[] key);

  CompletionStage<?> delete(byte[] key);

  /** Reads rows, starting at the key. */
  CompletionStage<?> scan(byte[] start, int rows);
}
