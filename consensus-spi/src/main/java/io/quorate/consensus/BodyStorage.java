package io.quorate.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * The bodies of a node: large values, or parts of them, that are durable beside the consensus log.
 * An engine adds and reads them; the state machine, which knows what is referenced, removes them.
 * Thread-safe.
 */
public interface BodyStorage {

  /**
   * Adds a body, or replaces it. Does not block.
   *
   * @param content the parts of the content, which must not change until the future completes; they
   *     are not copied
   * @return completes when the body is durable, on a thread that must not be blocked. Fails with
   *     {@link ConsensusException.Overloaded} if too many bodies are pending, and with an {@link
   *     IOException} if the body could not be written: it may be there after the next start.
   */
  CompletableFuture<Void> put(BodyId body, List<ByteBuffer> content);

  /**
   * The content of a body; empty if there is none that is durable. Blocks on the disk.
   *
   * @throws IOException if the content cannot be read, or is not what was written; {@link #put}
   *     replaces it
   */
  Optional<ByteBuffer> get(BodyId body) throws IOException;

  /**
   * A part of a body, which is not verified.
   *
   * @param length the length of the whole body in bytes
   * @param bytes those of the part, between position and limit
   */
  record Part(int length, ByteBuffer bytes) {}

  /**
   * Reads a part of a body without the rest; empty if there is no such body that is durable. What
   * it is a part of may be damaged: the caller verifies the whole. Blocks on the disk.
   *
   * @param offset where the part begins, 0 or more; the part is empty from the end of the body on
   * @param length the maximum length of the part in bytes, 0 or more
   */
  Optional<Part> part(BodyId body, int offset, int length) throws IOException;

  /**
   * Reads a body and checks that it is what was written; has no effect without it. Blocks on the
   * disk.
   *
   * @throws IOException if it is damaged, and {@link #hasLost} from then on, or cannot be read
   */
  void verify(BodyId body) throws IOException;

  /** Whether a body is durable, and not removed. Does not block. */
  boolean contains(BodyId body);

  /** The length in bytes of a body that is durable, and not removed. Does not block. */
  OptionalInt length(BodyId body);

  /**
   * How far the writes to the disk have come.
   *
   * @param begun the number of writes, of one or more bodies each, that have begun
   * @param ended the number of those that have ended; it remains lower once a write has failed and
   *     no body is written any more
   */
  record Progress(long begun, long ended) {}

  /** The present progress. Does not block. */
  Progress progress();

  /**
   * Whether records of a body are known to be lost or damaged: more of it may have been durable,
   * and acknowledged, than there is now. Holds until {@link #restored}, also after a restart, or
   * until the body is removed. Does not block.
   */
  boolean hasLost(BodyId body);

  /**
   * Whether a body {@linkplain #hasLost has lost} records, or is not there and records of unknown
   * bodies are lost. Does not block.
   */
  boolean mayHaveLost(BodyId body);

  /**
   * States that as much of a body is durable again as ever may have been. Does not block; a crash
   * soon afterwards may undo it.
   */
  void restored(BodyId body);
}
