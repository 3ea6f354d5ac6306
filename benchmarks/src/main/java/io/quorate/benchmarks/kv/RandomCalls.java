package io.quorate.benchmarks.kv;

import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Sends random calls of a workload over one connection. Used by one thread at a time. */
final class RandomCalls {
  private final KvWorkload workload;
  private final RandomValues values;
  private final KeyValueCalls connection;
  private final Population keys;
  private final RandomGenerator random;
  private final LongSupplier nanoClock;

  /**
   * @param values of the length that the workload demands
   * @param nanoClock like {@link System#nanoTime}
   */
  RandomCalls(
      KvWorkload workload,
      RandomValues values,
      KeyValueCalls connection,
      Population keys,
      RandomGenerator random,
      LongSupplier nanoClock) {
    this.workload = workload;
    this.values = values;
    this.connection = connection;
    this.keys = keys;
    this.random = random;
    this.nanoClock = nanoClock;
  }

  /** Sends the next call. Does not block. */
  SentCall send() {
    SentCall call = new SentCall(workload.mix().any(random));
    call.result(send(call).toCompletableFuture());
    return call;
  }

  private CompletionStage<?> send(SentCall call) {
    if (call.kind() == CallKind.INSERT) {
      int number = keys.claim();
      return connection.put(keys.key(number), value()).thenRun(() -> keys.inserted(number));
    }
    byte[] key = keys.any(workload.choice(), random);
    return switch (call.kind()) {
      case GET -> connection.get(key);
      case DELETE -> connection.delete(key);
      case SCAN -> connection.scan(key, 1 + random.nextInt(KvWorkload.SCAN_ROWS_MAX));
      case READ_MODIFY_WRITE -> readModifyWrite(call, key);
      case PUT, INSERT -> connection.put(key, value());
    };
  }

  /** The value is drawn before the read, because another thread may complete that. */
  private CompletionStage<?> readModifyWrite(SentCall call, byte[] key) {
    byte[] value = value();
    return connection
        .get(key)
        .thenCompose(
            read -> {
              call.readDone(nanoClock.getAsLong());
              return connection.put(key, value);
            });
  }

  private byte[] value() {
    return values.any(random);
  }
}
