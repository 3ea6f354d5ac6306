package io.quorate.benchmarks.micro;

import java.util.concurrent.CompletableFuture;

/** The Java client of a database on this machine, as an application calls it. */
interface BenchmarkedClient extends AutoCloseable {

  /** Returns after the write has taken effect. */
  Object put(byte[] key, byte[] value);

  /** Returns the value. */
  Object get(byte[] key);

  CompletableFuture<?> putAsync(byte[] key, byte[] value);

  CompletableFuture<?> getAsync(byte[] key);

  /** Stops the database and deletes its files. Blocks. */
  @Override
  void close();
}
