package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Replicates large values beside the log: a command refers to its body, and is proposed only when
 * the body can be restored by any majority. Every method may be called from any thread; nothing
 * blocks. A group has the same one until it is closed.
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

  /**
   * Prepares a change of members at the leader, because every majority of the members after it has
   * to be able to restore every body (decision 0049). From now on, while this replica leads in its
   * present term, a command is proposed only when such majorities can restore its body as well. The
   * caller then proposes any command, and when that is applied, copies each body to which the state
   * refers. {@link Membership#change} is refused without that.
   *
   * @param members all members after the change, among them this one
   * @throws ConsensusException.Redirect if this replica does not lead
   * @throws ConsensusException.Unavailable if it does not lead yet, or is closing
   * @throws ConsensusException.Overloaded while another change is in progress
   * @throws ConsensusException.Invalid if one change cannot lead to these members
   */
  Preparation prepare(List<NodeId> members);

  /** What a change of members needs before it. Ends with the term in which it was begun. */
  interface Preparation {
    /** Whether there is anything to copy; if not, the change is prepared. */
    boolean copies();

    /**
     * Whether the members that need a copy of a body have one. Any thread; does not block.
     *
     * @return completes on a thread that must not be blocked; fails with {@link
     *     ConsensusException.Unavailable} if a member does not respond
     */
    CompletionStage<Boolean> isCopied(BodyReference body);

    /**
     * Copies a body to the members that need a copy of it for the change and have none. Any thread;
     * does not block.
     *
     * @return completes when the copies are durable, on a thread that must not be blocked. Fails
     *     with {@link ConsensusException.Unavailable} if the body cannot be restored or a member
     *     does not store it, and {@link ConsensusException.Overloaded} if too many bodies are being
     *     read. A body to which the state refers no longer need not be copied
     */
    CompletionStage<Void> copy(BodyReference body);

    /** Declares that all bodies are copied to which the state refers or referred at the start. */
    void complete();
  }
}
