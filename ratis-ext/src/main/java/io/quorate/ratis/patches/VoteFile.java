package io.quorate.ratis.patches;

import io.quorate.common.Checksums;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.common.ReplicaReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.storage.RaftStorageMetadata;

/**
 * The file that holds a replica's term and vote, as text: a line with the number of the format, the
 * name of the replica, the two values, and a checksum of these lines. All methods block.
 *
 * <p>Ratis 3.3.0 writes them without a checksum.
 *
 * <p>Upstream: not reported. Fails without it: {@code VoteFileTest}. Can go when the file of Ratis
 * has a checksum, and the name of its replica.
 */
public final class VoteFile {
  private static final String NAME = "raft-meta";

  /** Ratis deletes a leftover file of this name when it opens a replica. */
  private static final String DRAFT = NAME + ".tmp";

  private static final String CONSEQUENCE = "the replica could vote a second time in one term";

  private static final int BYTES_MAX = 1 << 16;

  private static final Pattern FORMAT =
      Pattern.compile(
          "(?<values>quorate vote 2\nreplica=(?<replica>[^\n]*)\nterm=(?<term>\\d+)\n"
              + "votedFor=(?<vote>[^\n]*)\n)crc32c=(?<checksum>[0-9a-f]{8})\n",
          Pattern.DOTALL);

  /**
   * What is in the file.
   *
   * @param replica the name of the replica, which no other has: of its cluster, group and node;
   *     empty if Ratis itself has begun it
   */
  public record Content(String replica, RaftStorageMetadata vote) {}

  private VoteFile() {}

  /** The file in the directory of a replica. */
  public static Path in(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * Reads the file.
   *
   * @throws DamagedLogException if it is not as it was written, or cannot be read
   */
  public static Content read(Path file) throws IOException {
    Matcher present =
        FORMAT.matcher(new String(ReplicaReads.all(file, BYTES_MAX), StandardCharsets.UTF_8));
    if (present.matches()
        && present.group("checksum").equals(Checksums.of(present.group("values")))) {
      try {
        return new Content(
            present.group("replica"), value(present.group("term"), present.group("vote")));
      } catch (NumberFormatException e) {
        // More digits than a term has: reported below.
      }
    }
    throw new DamagedLogException(
        String.format(
            Locale.ROOT,
            "The file %s, which holds this replica's term and vote, differs from what was written: %s",
            file,
            CONSEQUENCE));
  }

  private static RaftStorageMetadata value(String term, String vote) {
    return RaftStorageMetadata.valueOf(Long.parseLong(term), RaftPeerId.valueOf(vote));
  }

  /** Replaces the file; it is durable when the call returns, under its name. */
  public static void write(Path file, Content content) throws IOException {
    String vote = content.vote().getVotedFor().toString();
    if (vote.indexOf('\n') >= 0 || content.replica().indexOf('\n') >= 0) {
      throw new IllegalArgumentException("The name of a candidate or a replica has a line break.");
    }
    String values =
        String.format(
            Locale.ROOT,
            "quorate vote 2\nreplica=%s\nterm=%d\nvotedFor=%s\n",
            content.replica(),
            content.vote().getTerm(),
            vote);
    String text = values + "crc32c=" + Checksums.of(values) + "\n";
    DurableFiles.replace(
        file, file.resolveSibling(DRAFT), ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Lets a new replica begin in a term without a vote, so that its group elects leaders for greater
   * terms only. Has no effect on a replica that exists. Durable when the call returns.
   *
   * @param directory of Ratis' files of the replica, which may not exist yet
   * @param replica its name
   */
  public static void begin(Path directory, String replica, long term) throws IOException {
    Path file = directory.resolve(NAME);
    if (Files.exists(file)) {
      return;
    }
    Files.createDirectories(directory);
    DurableFiles.syncDirectory(directory.getParent());
    DurableFiles.syncDirectory(directory.getParent().getParent());
    write(file, new Content(replica, RaftStorageMetadata.valueOf(term, null)));
  }

  /**
   * Checks the file of a replica that is about to be opened, and makes it durable: it may be in
   * memory only. Has no effect on a new replica.
   *
   * @param directory of Ratis' files of the replica, which may not exist yet
   * @param replica the name of the replica
   * @return the term; 0 of a new replica
   * @throws DamagedLogException if the file is not as it was written for this replica
   */
  public static long inspect(Path directory, String replica) throws IOException {
    Path file = directory.resolve(NAME);
    if (!Files.exists(file)) {
      return 0;
    }
    Content content = read(file);
    if (!content.replica().equals(replica)) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The file %s is of the replica %s, not of %s: put the files of both in their places, or replace the node.",
              file,
              content.replica(),
              replica));
    }
    write(file, content);
    return content.vote().getTerm();
  }

  /**
   * Checks that the file is not an older one than the log: no entry is of a later term.
   *
   * @param term in the file
   * @param lastEntry the term of the last entry in the log of the replica; 0 if it has none
   * @throws DamagedLogException if it is
   */
  public static void requireTerm(Path directory, long term, long lastEntry)
      throws DamagedLogException {
    if (term < lastEntry) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The file %s is an older one, because the log beside it has an entry of the later term %d: %s",
              in(directory),
              lastEntry,
              CONSEQUENCE));
    }
  }

  /** The candidate that a vote is for; empty if no vote was given in the term. */
  public static Optional<RaftPeerId> candidate(RaftStorageMetadata value) {
    return Optional.of(value.getVotedFor()).filter(vote -> !vote.toString().isEmpty());
  }
}
