package io.quorate.replication.coded;

import io.quorate.common.Budget;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyMessages.StoreChunk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Assembles the bodies that other nodes send to a replica. What is incomplete, or complete and not
 * yet released, is bounded in number and bytes. Thread-safe; nothing blocks.
 */
final class IncomingBodies {
  private record Key(NodeId from, long epoch, long number) {}

  /** A body of which chunks arrive. */
  private static final class Incomplete {
    final StoreChunk first;
    final List<ByteBuffer> parts = new ArrayList<>();
    int received;
    long lastNanos;

    Incomplete(StoreChunk first) {
      this.first = first;
    }

    boolean isContinuedBy(StoreChunk chunk) {
      return chunk.offset() == received
          && chunk.form() == first.form()
          && chunk.index() == first.index()
          && chunk.length() == first.length()
          && chunk.checksum() == first.checksum();
    }
  }

  /**
   * A body of which all chunks have arrived.
   *
   * @param first its first chunk, which describes it
   * @param content the parts of its content
   */
  record Received(StoreChunk first, List<ByteBuffer> content) {
    /** Whether the content matches its checksum. Reads all of it: not for event loops. */
    boolean isIntact() {
      CRC32C crc = new CRC32C();
      content.forEach(part -> crc.update(part.duplicate()));
      return (int) crc.getValue() == first.checksum();
    }
  }

  private final Budget budget;
  private final long idleNanos;
  private final Map<Key, Incomplete> incomplete = new HashMap<>();
  private boolean closed;

  /**
   * @param budget of all replicas of this node
   * @param idle an incomplete body of which nothing arrives for so long is dropped
   */
  IncomingBodies(Budget budget, Duration idle) {
    this.budget = budget;
    this.idleNanos = idle.toNanos();
  }

  /**
   * Adds a chunk. The first chunk of a body replaces what was received of it from the same node: it
   * is sent again, or in another form.
   *
   * @param chunk its bytes must not change
   * @return the body, if this was its last chunk; to be {@linkplain #release released}
   * @throws IOException if the chunk does not follow the previous one, or if a bound is reached;
   *     what was received of the body is dropped
   */
  synchronized Optional<Received> accept(NodeId from, StoreChunk chunk, long nowNanos)
      throws IOException {
    Key key = new Key(from, chunk.epoch(), chunk.number());
    if (chunk.offset() == 0) {
      begin(key, chunk);
    }
    Incomplete body = incomplete.get(key);
    if (body == null || !body.isContinuedBy(chunk)) {
      drop(key);
      throw new IOException(
          String.format(
              Locale.ROOT,
              "A chunk of body %d:%d at %d does not follow what was received before.",
              chunk.epoch(),
              chunk.number(),
              chunk.offset()));
    }
    body.parts.add(chunk.bytes());
    body.received += chunk.bytes().remaining();
    body.lastNanos = nowNanos;
    if (body.received < chunk.length()) {
      return Optional.empty();
    }
    incomplete.remove(key);
    return Optional.of(new Received(body.first, List.copyOf(body.parts)));
  }

  private void begin(Key key, StoreChunk first) throws IOException {
    drop(key);
    if (closed) {
      throw new IOException("This replica is closing.");
    }
    if (!budget.tryAcquireAnySizeAlone(first.length())) {
      throw new IOException(
          "This node receives as many bodies as it may (raft.coded.bodies-in-flight-max,"
              + " raft.coded.bodies-in-flight-size-max).");
    }
    incomplete.put(key, new Incomplete(first));
  }

  private void drop(Key key) {
    Incomplete dropped = incomplete.remove(key);
    if (dropped != null) {
      budget.release(dropped.first.length());
    }
  }

  /** To be called once for each body received, when it is durable or dropped. */
  void release(Received body) {
    budget.release(body.first().length());
  }

  /** Drops the incomplete bodies, since other replicas share their bounds; accepts no more. */
  synchronized void close() {
    closed = true;
    List.copyOf(incomplete.keySet()).forEach(this::drop);
  }

  /** Drops incomplete bodies of which nothing has arrived for too long. */
  synchronized void dropIdle(long nowNanos) {
    List<Key> idle =
        incomplete.entrySet().stream()
            .filter(entry -> nowNanos - entry.getValue().lastNanos >= idleNanos)
            .map(Map.Entry::getKey)
            .toList();
    idle.forEach(this::drop);
  }
}
