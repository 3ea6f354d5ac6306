package peer;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** A client of etcd that puts the value of a key, or gets it if the value is null. */
public final class Client
    implements BiFunction<byte[], byte[], CompletionStage<byte[]>>, AutoCloseable {
  private final io.etcd.jetcd.Client client;
  private final KV keys;

  /**
   * @param addresses of the members, separated by commas
   */
  public Client(String addresses) {
    String[] members =
        Stream.of(addresses.split(",")).map(each -> "http://" + each).toArray(String[]::new);
    client = io.etcd.jetcd.Client.builder().endpoints(members).build();
    keys = client.getKVClient();
  }

  @Override
  public CompletionStage<byte[]> apply(byte[] key, byte[] value) {
    return value == null
        ? keys.get(ByteSequence.from(key))
            .thenApply(
                found ->
                    found.getKvs().isEmpty() ? null : found.getKvs().get(0).getValue().getBytes())
        : keys.put(ByteSequence.from(key), ByteSequence.from(value)).thenApply(done -> null);
  }

  @Override
  public void close() {
    client.close();
  }
}
