package io.quorate.benchmarks.kv;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Responds to every call with the next scripted result. */
record ScriptedCalls(Supplier<CompletionStage<?>> result) implements KeyValueCalls {
  @Override
  public CompletionStage<?> put(byte[] key, byte[] value) {
    return result.get();
  }

  @Override
  public CompletionStage<?> get(byte[] key) {
    return result.get();
  }

  @Override
  public CompletionStage<?> delete(byte[] key) {
    return result.get();
  }

  @Override
  public CompletionStage<?> scan(byte[] start, int rows) {
    return result.get();
  }
}
