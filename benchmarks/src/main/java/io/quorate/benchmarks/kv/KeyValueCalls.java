package io.quorate.benchmarks.kv;

import java.util.concurrent.CompletionStage;

/** The calls that are measured. None blocks; all may complete on any thread. */
public interface KeyValueCalls {
  CompletionStage<?> put(byte[] key, byte[] value);

  CompletionStage<?> get(byte[] key);

  CompletionStage<?> delete(byte[] key);

  /** Reads the first rows from the key on. */
  CompletionStage<?> scan(byte[] start, int rows);
}
