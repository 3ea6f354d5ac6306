package io.quorate.benchmarks.micro;

import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import io.quorate.benchmarks.peers.etcd.EtcdContender;
import io.quorate.benchmarks.peers.jvm.JavaClient;
import io.quorate.benchmarks.peers.redis.RedisContender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The published client of another database. Its blocking calls wait for its futures, as those of
 * these libraries do.
 */
record ClientOfPeer(RunningContender database, KeyValueCalls calls) implements BenchmarkedClient {

  /** The databases by the names of the clients. */
  static Map<String, Contender> databases() {
    return new TreeMap<>(
        Map.of(
            "jetcd", EtcdContender.calledBy(JavaClient.jetcd()),
            "lettuce", RedisContender.calledBy(JavaClient.lettuce())));
  }

  /** Where programs are built that are missing. */
  static Programs programs(Consumer<String> progress) {
    return new Programs(Programs.defaultDirectory(), true, progress);
  }

  /**
   * Starts a database and connects to it, with one client. Blocks.
   *
   * @param parent an existing directory, which contains the data while it runs
   * @throws IOException if it cannot be had here, or does not serve
   */
  static ClientOfPeer start(Contender contender, Path parent)
      throws IOException, InterruptedException {
    try {
      contender.prepare(programs(what -> {}));
    } catch (UnavailableException e) {
      throw new IOException(e.getMessage(), e);
    }
    RunningContender database = contender.start(parent);
    return new ClientOfPeer(database, database.connections().get(0));
  }

  @Override
  public Object put(byte[] key, byte[] value) {
    return putAsync(key, value).join();
  }

  @Override
  public Object get(byte[] key) {
    return getAsync(key).join();
  }

  @Override
  public CompletableFuture<?> putAsync(byte[] key, byte[] value) {
    return calls.put(key, value).toCompletableFuture();
  }

  @Override
  public CompletableFuture<?> getAsync(byte[] key) {
    return calls.get(key).toCompletableFuture();
  }

  @Override
  public void close() {
    database.close();
  }
}
