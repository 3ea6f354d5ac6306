package io.quorate.ratis.log;

import io.quorate.common.DamagedLogException;
import io.quorate.common.Failpoint;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorageMetadata;

/**
 * What a replica has to know beside its entries. Each value is one state in the log of the node, so
 * that it is durable in the order in which it was set. Methods that set one block until it is
 * durable. Thread-safe.
 */
public final class ReplicaStates {
  /** Appends a state, of which the log keeps the last one for each key. */
  interface Appender {
    /**
     * @return completes when the state is durable, on the log's thread
     * @throws IOException if the log has failed
     */
    CompletableFuture<?> put(int key, byte[] value) throws IOException;
  }

  /** A term or vote is about to be set, and others may be before it. The subject is this object. */
  private static final Failpoint BEFORE_VOTE = Failpoint.named("raft.vote.before-write");

  static final int VOTE = 0;
  static final int CONFIGURATION = 1;
  static final int JOINED = 2;
  static final int INSTALLING = 3;

  private final Appender log;

  /** The last one that was queued; null while the replica is begun. */
  private RaftStorageMetadata vote;

  private CompletableFuture<?> voteIsDurable = CompletableFuture.completedFuture(null);

  /** Written on the log's thread. */
  private volatile RaftStorageMetadata durableVote;

  private volatile Optional<LogEntryProto> configuration;
  private volatile Optional<TermIndex> joinedAfter;
  private final OptionalLong installing;

  /**
   * @param state what the log has of a key
   * @throws DamagedLogException if a state cannot be decoded
   */
  ReplicaStates(Appender log, Reader state) throws IOException {
    this.log = log;
    try {
      this.vote = state.of(VOTE).map(ReplicaStates::vote).orElse(null);
      this.joinedAfter = state.of(JOINED).map(ByteBuffer::wrap).map(ReplicaStates::termIndex);
      this.installing =
          state
              .of(INSTALLING)
              .map(bytes -> OptionalLong.of(ByteBuffer.wrap(bytes).getLong()))
              .orElse(OptionalLong.empty());
    } catch (BufferUnderflowException e) {
      throw new DamagedLogException("A state of a replica in the log is too short");
    }
    this.durableVote = vote;
    Optional<byte[]> known = state.of(CONFIGURATION);
    this.configuration =
        known.isPresent() ? Optional.of(LogEntries.decode(known.get())) : Optional.empty();
  }

  private static TermIndex termIndex(ByteBuffer from) {
    return TermIndex.valueOf(from.getLong(), from.getLong());
  }

  /** Reads the states of a log. */
  interface Reader {
    Optional<byte[]> of(int key);
  }

  boolean isBegun() {
    return durableVote != null;
  }

  // Term and vote

  /** Term and vote as they are on disk. Does not block. */
  public RaftStorageMetadata vote() {
    return durableVote;
  }

  /**
   * Makes a term, or a vote in it, durable. A vote that was given stays if the value has none for
   * the same term (Raft, figure 2). Blocks.
   *
   * @throws IOException if a later term, or a vote for another candidate in this term, was set
   *     before, and nothing is written; or if the log has failed, after which the former value or
   *     this one is on disk
   */
  public void setVote(RaftStorageMetadata value) throws IOException {
    BEFORE_VOTE.reached(this);
    CompletableFuture<?> durable;
    synchronized (this) {
      if (vote == null || !isContained(value, vote)) {
        assert vote == null || value.getTerm() >= vote.getTerm();
        voteIsDurable = log.put(VOTE, bytes(value)).thenRun(() -> durableVote = value);
        vote = value;
      }
      durable = voteIsDurable;
    }
    EntryLog.await(durable);
  }

  /** Whether what was set before says all that the new value says. */
  private static boolean isContained(RaftStorageMetadata value, RaftStorageMetadata known)
      throws IOException {
    if (value.getTerm() < known.getTerm()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "Term %d is not written, because term %d is on disk.",
              value.getTerm(),
              known.getTerm()));
    }
    if (value.getTerm() > known.getTerm()) {
      return false;
    }
    Optional<RaftPeerId> candidate = candidate(value);
    Optional<RaftPeerId> first = candidate(known);
    if (candidate.isPresent() && first.isPresent() && !candidate.equals(first)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "A vote for %s is not written, because this replica has voted for %s in term %d.",
              candidate.get(),
              first.get(),
              known.getTerm()));
    }
    return candidate.isEmpty() || candidate.equals(first);
  }

  /** The candidate that a vote is for; empty if no vote was given in the term. */
  public static Optional<RaftPeerId> candidate(RaftStorageMetadata value) {
    return Optional.of(value.getVotedFor()).filter(vote -> !vote.toString().isEmpty());
  }

  private static byte[] bytes(RaftStorageMetadata value) {
    byte[] candidate = value.getVotedFor().toString().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + candidate.length)
        .putLong(value.getTerm())
        .put(candidate)
        .array();
  }

  private static RaftStorageMetadata vote(byte[] bytes) {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    long term = from.getLong();
    String candidate = StandardCharsets.UTF_8.decode(from).toString();
    return RaftStorageMetadata.valueOf(term, RaftPeerId.valueOf(candidate));
  }

  // Members

  /** The last configuration that was set; empty if none was. Does not block. */
  public Optional<LogEntryProto> configuration() {
    return configuration;
  }

  /**
   * Makes a configuration durable, unless one of a later term, or of a later entry in the same
   * term, is: the log may be purged up to a later entry. Blocks.
   *
   * @throws IOException if the log has failed
   */
  public synchronized void setConfiguration(LogEntryProto entry) throws IOException {
    if (configuration.isEmpty()
        || TermIndex.valueOf(configuration.get()).compareTo(TermIndex.valueOf(entry)) < 0) {
      EntryLog.await(log.put(CONFIGURATION, entry.toByteArray()));
      configuration = Optional.of(entry);
    }
  }

  /** The entry after which this replica has joined its group; empty if it is not known. */
  public Optional<TermIndex> joinedAfter() {
    return joinedAfter;
  }

  /** Makes {@link #joinedAfter} durable. Blocks. */
  public void setJoinedAfter(TermIndex entry) throws IOException {
    byte[] value =
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(entry.getTerm())
            .putLong(entry.getIndex())
            .array();
    EntryLog.await(log.put(JOINED, value));
    joinedAfter = Optional.of(entry);
  }

  // Snapshots

  /**
   * The last entry in the last snapshot that was to replace the state, when the log was opened;
   * empty if there was none.
   */
  public OptionalLong installing() {
    return installing;
  }

  /**
   * States that a snapshot is about to replace the state, after whose last entry the log has none:
   * a log that ends before its state is damaged otherwise. Blocks.
   */
  public void setInstalling(long lastIndex) throws IOException {
    EntryLog.await(log.put(INSTALLING, ByteBuffer.allocate(Long.BYTES).putLong(lastIndex).array()));
  }
}
