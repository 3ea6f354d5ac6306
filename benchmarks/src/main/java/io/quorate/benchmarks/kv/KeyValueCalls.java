package io.quorate.benchmarks.kv;

import java.util.concurrent.CompletionStage;

/** The two calls that are measured. Neither blocks; both may complete on any thread. */
public interface KeyValueCalls {
  CompletionStage<?> put(byte[] key, byte[] value);

  CompletionStage<?> get(byte[] key);
}
