package io.quorate.consensus;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Replicates large values beside the log: a command refers to its body, and is proposed only when
 * the body can be restored by any majority. Every method may be called from any thread; nothing
 * blocks.
 */
public interface BodyReplication extends GroupControl {

  /** The length in bytes from which values are to be proposed as bodies. */
  int bodyBytesMin();

  /**
   * Replicates a body, and then proposes the command that refers to it.
   *
   * @param body the bytes between position and limit, which must never change: followers that are
   *     slow receive them after the stage has completed. They are not copied.
   * @param command creates the command; called at most once, on any thread
   * @return as {@link ConsensusGroup#propose}. Fails with {@link ConsensusException.Unavailable} if
   *     the body could not be made durable at enough replicas in time, and {@link
   *     ConsensusException.Overloaded} if too many bodies are in flight; the command is not
   *     proposed then.
   */
  CompletionStage<ProposeResult> propose(ByteBuffer body, Function<BodyReference, Command> command);

  /**
   * Reads a body to which the state of this replica refers: from this node if it holds a complete
   * copy, otherwise from fragments of other replicas; the body is then kept here.
   *
   * @return completes with the body, whose bytes must not be changed, on a thread that must not be
   *     blocked. Fails with {@link ConsensusException.Unavailable} if too few replicas respond in
   *     time, or if the body was removed, because a newer state does not refer to it: the caller
   *     reads the state again; and with {@link ConsensusException.Overloaded} if too many bodies
   *     are being read.
   */
  CompletionStage<ByteBuffer> read(BodyReference body);

  /** The part of a body that a node holds. */
  enum Form {
    FRAGMENT,
    /** The whole content, which restores the body alone. */
    COMPLETE
  }

  /**
   * What a node holds of a body.
   *
   * @param bytes of the fragment or the copy
   */
  record Part(Form form, int bytes) {}

  /**
   * What this node holds of a body; empty if nothing. It is not read, so it may be damaged. Does
   * not block.
   */
  Optional<Part> held(BodyReference body);

  /** What a node held of a body when its restoration began. */
  enum Condition {
    /** A complete copy or a fragment that matches its checksum. */
    INTACT,
    MISSING,
    /** It could not be read, or did not match its checksum. */
    DAMAGED
  }

  /**
   * Makes this node hold a body to which the state of this replica refers: verifies what it holds,
   * and if that is missing or damaged, restores it from what other replicas hold. A complete copy
   * is never replaced by a part. Has the bounds of {@link #read}.
   *
   * @return completes when the body is durable here, with its condition before, on a thread that
   *     must not be blocked. Fails as {@link #read} and {@link BodyStorage#put} do.
   */
  CompletionStage<Condition> restore(BodyReference body);
}
