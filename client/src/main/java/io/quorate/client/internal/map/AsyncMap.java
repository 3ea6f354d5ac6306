package io.quorate.client.internal.map;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.AsyncQuorateMap;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.MapPage;
import io.quorate.client.internal.connection.CallResults;
import io.quorate.client.internal.connection.FailedAtOnce;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A map over the calls of a client, which may be of any class. */
public final class AsyncMap<K, V> implements AsyncQuorateMap<K, V> {
  private final AsyncQuorateClient client;
  private final CodecPair<K, V> codec;

  public AsyncMap(AsyncQuorateClient client, CodecPair<K, V> codec) {
    this.client = client;
    this.codec = codec;
  }

  /** A call that throws nothing for a key or value that is not encoded. */
  private <T> CompletableFuture<T> at(K key, Function<byte[], CompletableFuture<T>> call) {
    try {
      return call.apply(codec.encodedKey(key));
    } catch (InvalidRequestException e) {
      return FailedAtOnce.of(e);
    }
  }

  @Override
  public CompletableFuture<Optional<V>> get(K key) {
    return at(key, bytes -> CallResults.of(client.get(bytes), value -> codec.value(bytes, value)));
  }

  @Override
  public CompletableFuture<Boolean> containsKey(K key) {
    return at(key, bytes -> CallResults.of(client.get(bytes), Optional::isPresent));
  }

  @Override
  public CompletableFuture<Position> put(K key, V value) {
    return at(key, bytes -> client.put(bytes, codec.encodedValue(value, "value")));
  }

  @Override
  public CompletableFuture<CompareAndSetResult<V>> putIfAbsent(K key, V value) {
    return at(
        key,
        bytes ->
            CallResults.of(
                client.putIfAbsent(bytes, codec.encodedValue(value, "value")),
                result -> codec.swap(bytes, result)));
  }

  @Override
  public CompletableFuture<Position> delete(K key) {
    return at(key, client::delete);
  }

  @Override
  public CompletableFuture<Optional<V>> getAndPut(K key, V value) {
    return at(
        key,
        bytes ->
            CallResults.of(
                client.getAndPut(bytes, codec.encodedValue(value, "value")),
                before -> codec.before(bytes, before)));
  }

  @Override
  public CompletableFuture<CompareAndSetResult<V>> compareAndSet(K key, V expected, V replacement) {
    return at(
        key,
        bytes ->
            CallResults.of(
                client.compareAndSet(
                    bytes,
                    codec.encodedValue(expected, "expected"),
                    codec.encodedValue(replacement, "replacement")),
                result -> codec.swap(bytes, result)));
  }

  @Override
  public CompletableFuture<CompareAndSetResult<V>> compareAndDelete(K key, V expected) {
    return at(
        key,
        bytes ->
            CallResults.of(
                client.compareAndDelete(bytes, codec.encodedValue(expected, "expected")),
                result -> codec.swap(bytes, result)));
  }

  @Override
  public Key keyOf(K key) {
    return Key.wrap(codec.encodedKey(key));
  }

  @Override
  public CompletableFuture<List<Map.Entry<K, V>>> scan(KeyRange range, int count) {
    return CallResults.of(client.scan(range, count), codec::entries);
  }

  @Override
  public CompletableFuture<List<Map.Entry<K, V>>> scanReverse(KeyRange range, int count) {
    return CallResults.of(client.scanReverse(range, count), codec::entries);
  }

  @Override
  public CompletableFuture<MapPage<K, V>> scanPage(KeyRange range, int rowsMax) {
    return CallResults.of(client.scanPage(range, rowsMax), codec::page);
  }

  @Override
  public CompletableFuture<MapPage<K, V>> scanPageReverse(KeyRange range, int rowsMax) {
    return CallResults.of(client.scanPageReverse(range, rowsMax), codec::page);
  }
}
