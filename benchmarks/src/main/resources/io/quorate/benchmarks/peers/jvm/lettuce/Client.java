package peer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/** A client of Redis that puts the value of a key, or gets it if the value is null. */
public final class Client
    implements BiFunction<byte[], byte[], CompletionStage<byte[]>>, AutoCloseable {
  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedisAsyncCommands<byte[], byte[]> commands;

  /**
   * @param address of the node
   */
  public Client(String address) {
    client = RedisClient.create("redis://" + address);
    connection = client.connect(ByteArrayCodec.INSTANCE);
    commands = connection.async();
  }

  @Override
  public CompletionStage<byte[]> apply(byte[] key, byte[] value) {
    return value == null ? commands.get(key) : commands.set(key, value).thenApply(done -> null);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
