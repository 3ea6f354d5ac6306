package io.quorate.replication.coded;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.BodyStorage;
import io.quorate.replication.coded.round.BodyMessages.Fetched;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The bodies that this node holds of one group. A complete copy, intact or damaged, is never
 * replaced by a fragment: it may have been counted as a complete copy (E2). Thread-safe.
 */
final class LocalBodies {
  private final BodyStorage storage;
  private final Executor workers;

  /**
   * The last write of each body in progress: writes of one body follow each other, so that none is
   * decided on by what another is about to replace. Bounded by those who write.
   */
  private final Map<BodyId, CompletableFuture<Form>> writes = new ConcurrentHashMap<>();

  /**
   * @param workers executes what blocks on the disk
   */
  LocalBodies(BodyStorage storage, Executor workers) {
    this.storage = storage;
    this.workers = workers;
  }

  /**
   * What is held of a body. Blocks on the disk.
   *
   * @throws IOException if it is damaged or cannot be read; a write replaces it
   */
  Optional<HeldBody> load(BodyId id) throws IOException {
    try {
      return storage.get(id).map(HeldBody::of);
    } catch (DecodeException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** What is held of a body, without reading it. Does not block. */
  Optional<BodyReplication.Part> part(BodyId id, int valueBytes) {
    return storage.length(id).stream()
        .mapToObj(stored -> HeldBody.part(stored, valueBytes))
        .findFirst();
  }

  /**
   * Checks what is held of a body, if anything. Blocks on the disk.
   *
   * @throws IOException if it is damaged, which a walk over the bodies restores, or cannot be read
   */
  void verify(BodyId id) throws IOException {
    storage.verify(id);
  }

  /**
   * A part of what is held of a body, which is not verified; empty if nothing is held, or it is
   * being replaced. Blocks on the disk.
   *
   * @throws IOException if it cannot be read
   */
  Optional<Fetched> part(BodyId id, int offset, int length) throws IOException {
    try {
      Optional<BodyStorage.Part> prefix = storage.part(id, 0, HeldBody.PREFIX_BYTES);
      if (prefix.isEmpty()) {
        return Optional.empty();
      }
      return storage
          .part(id, HeldBody.PREFIX_BYTES + offset, length)
          .filter(part -> part.length() == prefix.get().length())
          .map(
              part -> {
                HeldBody held = HeldBody.of(prefix.get().bytes());
                int whole = part.length() - HeldBody.PREFIX_BYTES;
                return new Fetched(held.form(), held.index(), whole, part.bytes());
              });
    } catch (DecodeException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Stores a complete copy, or a fragment unless a complete copy is held. Does not block.
   *
   * @param content must not change until the future completes
   * @return completes with what is durable then, on a thread that must not be blocked. Fails as
   *     {@link BodyStorage#put} does, and with an {@link IOException} for a fragment in place of a
   *     complete copy that is damaged or lost.
   */
  CompletableFuture<Form> store(BodyId id, Form form, int index, List<ByteBuffer> content) {
    CompletableFuture<Form> write =
        writes.compute(
            id,
            (body, before) ->
                (before == null ? CompletableFuture.<Form>completedFuture(null) : before)
                    .handle((done, failure) -> form)
                    .thenComposeAsync(wanted -> write(id, wanted, index, content), workers));
    write.whenComplete((durable, failure) -> writes.remove(id, write));
    return write;
  }

  private CompletableFuture<Form> write(BodyId id, Form form, int index, List<ByteBuffer> content) {
    List<ByteBuffer> stored = HeldBody.stored(form, index, content);
    if (form == Form.FRAGMENT) {
      if (isComplete(id)) {
        return CompletableFuture.completedFuture(Form.COMPLETE);
      }
      if (wasComplete(id, stored)) {
        return CompletableFuture.failedFuture(
            new IOException(
                "What is held of body "
                    + id.epoch()
                    + ":"
                    + id.number()
                    + " is damaged and may have been a complete copy, which a fragment does not"
                    + " replace."));
      }
    }
    return storage.put(id, stored).thenApply(durable -> durable(id, form));
  }

  private Form durable(BodyId id, Form form) {
    if (form == Form.COMPLETE) {
      isRestored(id);
    }
    return form;
  }

  /** A complete copy is held: it is as much as ever may have been. */
  void isRestored(BodyId id) {
    storage.restored(id);
  }

  /**
   * Whether what is held in place of a fragment may have been counted as a complete copy. The
   * length tells: it is known without reading what may be damaged.
   */
  private boolean wasComplete(BodyId id, List<ByteBuffer> fragment) {
    int bytes = fragment.stream().mapToInt(ByteBuffer::remaining).sum();
    return storage.hasLost(id) || storage.length(id).orElse(bytes) != bytes;
  }

  /** Whether a complete copy may have been held, and what is held now is less. */
  boolean mayHaveLost(BodyId id) {
    return storage.mayHaveLost(id);
  }

  /** Whether an intact complete copy is held. Blocks on the disk. */
  boolean isComplete(BodyId id) {
    try {
      // What is damaged is less than the fragment: it is loaded in full only if it may be a copy.
      return part(id, 0, 0).map(held -> held.form() == Form.COMPLETE).orElse(false)
          && load(id).isPresent();
    } catch (IOException e) {
      // Damaged, so the fragment is more than what is held.
      return false;
    }
  }
}
