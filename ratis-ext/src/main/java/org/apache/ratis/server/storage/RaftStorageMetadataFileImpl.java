package org.apache.ratis.server.storage;

import io.quorate.common.Failpoint;
import io.quorate.ratis.patches.InPlaceOfRatis;
import io.quorate.ratis.patches.VoteFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * The term and vote of one replica on disk, which never go back. It takes the place of the class of
 * this name in Ratis 3.3.0, where an election writes its term while a request for a vote is
 * answered, and the one that began first may write the older value over the newer: a vote that was
 * sent is then unknown after a crash. See ADR 0059.
 *
 * <p>Upstream: not reported. Fails without it: {@code LostVoteTest}, {@code
 * RaftStorageMetadataFileImplTest}. Can go when an election of Ratis writes its term under the
 * monitor, and the file has a checksum.
 *
 * <p>Thread-safe.
 */
@InPlaceOfRatis
final class RaftStorageMetadataFileImpl implements RaftStorageMetadataFile {
  /**
   * A term or vote is about to be written, and others may be before it. The subject is the file.
   */
  private static final Failpoint BEFORE_WRITE = Failpoint.named("raft.vote.before-write");

  private final Path file;

  /** What is on disk; null before it is read. Written with the monitor held. */
  private volatile RaftStorageMetadata durable;

  /** The name of the replica in the file; empty if this object has created the file. */
  private String replica = "";

  RaftStorageMetadataFileImpl(File file) {
    this.file = file.toPath();
  }

  /** The value on disk. Blocks only the first time; does not wait for a write. */
  @Override
  public RaftStorageMetadata getMetadata() throws IOException {
    RaftStorageMetadata known = durable;
    return known == null ? load() : known;
  }

  private synchronized RaftStorageMetadata load() throws IOException {
    if (durable == null) {
      if (!Files.exists(file)) {
        return RaftStorageMetadata.getDefault();
      }
      VoteFile.Content content = VoteFile.read(file);
      replica = content.replica();
      durable = content.vote();
    }
    return durable;
  }

  /**
   * Makes a term, or a vote in it, durable. A vote that is on disk stays if the value has none for
   * the same term. Blocks while another value is written.
   *
   * @throws IOException if a later term, or a vote for another candidate in this term, is on disk,
   *     and nothing is written; or if the write fails, after which the old value or this one is on
   *     disk, and no other
   */
  @Override
  public void persist(RaftStorageMetadata value) throws IOException {
    BEFORE_WRITE.reached(file);
    synchronized (this) {
      RaftStorageMetadata known = load();
      if (durable != null && isContained(value, known)) {
        return;
      }
      VoteFile.write(file, new VoteFile.Content(replica, value));
      durable = value;
    }
  }

  /** Whether the value on disk says all that the new one says. */
  private boolean isContained(RaftStorageMetadata value, RaftStorageMetadata known)
      throws IOException {
    if (value.getTerm() < known.getTerm()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "Term %d is not written to %s, because term %d is on disk.",
              value.getTerm(),
              file,
              known.getTerm()));
    }
    if (value.getTerm() > known.getTerm()) {
      return false;
    }
    Optional<RaftPeerId> vote = VoteFile.candidate(value);
    Optional<RaftPeerId> first = VoteFile.candidate(known);
    if (vote.isPresent() && first.isPresent() && !vote.equals(first)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "A vote for %s is not written to %s, because this replica has voted for %s in term %d.",
              vote.get(),
              file,
              first.get(),
              known.getTerm()));
    }
    return vote.isEmpty() || vote.equals(first);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
