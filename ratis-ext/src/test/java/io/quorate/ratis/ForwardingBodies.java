package io.quorate.ratis;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** A body store that forwards every call to another one. */
public abstract class ForwardingBodies implements BodyStorage {
  private final BodyStorage store;

  protected ForwardingBodies(BodyStorage store) {
    this.store = store;
  }

  @Override
  public CompletableFuture<Void> put(BodyId body, List<ByteBuffer> content) {
    return store.put(body, content);
  }

  @Override
  public final Optional<ByteBuffer> get(BodyId body) throws IOException {
    return store.get(body);
  }

  @Override
  public final Optional<Part> part(BodyId body, int offset, int length) throws IOException {
    return store.part(body, offset, length);
  }

  @Override
  public final void verify(BodyId body) throws IOException {
    store.verify(body);
  }

  @Override
  public final boolean contains(BodyId body) {
    return store.contains(body);
  }

  @Override
  public final Progress progress() {
    return store.progress();
  }

  @Override
  public final boolean hasLost(BodyId body) {
    return store.hasLost(body);
  }

  @Override
  public final boolean mayHaveLost(BodyId body) {
    return store.mayHaveLost(body);
  }

  @Override
  public final void restored(BodyId body) {
    store.restored(body);
  }

  @Override
  public final OptionalInt length(BodyId body) {
    return store.length(body);
  }
}
