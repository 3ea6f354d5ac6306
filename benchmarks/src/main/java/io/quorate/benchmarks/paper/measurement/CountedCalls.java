package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.kv.KeyValueCalls;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** Forwards calls and counts every one that succeeds. */
public final class CountedCalls implements KeyValueCalls {
  private final KeyValueCalls calls;
  private final LongAdder completed;

  /**
   * @param completed incremented with each success
   */
  public CountedCalls(KeyValueCalls calls, LongAdder completed) {
    this.calls = calls;
    this.completed = completed;
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value) {
    return counted(calls.put(key, value));
  }

  @Override
  public CompletionStage<?> get(byte[] key) {
    return counted(calls.get(key));
  }

  @Override
  public CompletionStage<?> delete(byte[] key) {
    return counted(calls.delete(key));
  }

  @Override
  public CompletionStage<?> scan(byte[] start, int rows) {
    return counted(calls.scan(start, rows));
  }

  private CompletionStage<?> counted(CompletionStage<?> call) {
    return call.whenComplete(
        (result, failure) -> {
          if (failure == null) {
            completed.increment();
          }
        });
  }
}
