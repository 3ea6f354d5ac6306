package io.quorate.ratis.guards;

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
 * two values, and a checksum of these lines. All methods block.
 *
 * <p>The file as Ratis 3.3.0 itself writes it, without a checksum, is read, too.
 */
public final class VoteFile {
  private static final String NAME = "raft-meta";

  /** Ratis deletes a leftover file of this name when it opens a replica. */
  private static final String DRAFT = NAME + ".tmp";

  private static final int BYTES_MAX = 1 << 16;

  private static final Pattern FORMAT =
      Pattern.compile(
          "(?<values>quorate vote 1\nterm=(?<term>\\d+)\nvotedFor=(?<vote>[^\n]*)\n)"
              + "crc32c=(?<checksum>[0-9a-f]{8})\n",
          Pattern.DOTALL);

  /** Comments, and the two values in one order or the other. */
  private static final Pattern FORMER =
      Pattern.compile(
          "(?:#[^\n]*\n)*(?:term=(?<term>\\d+)\nvotedFor=(?<vote>[^\n]*)"
              + "|votedFor=(?<voteFirst>[^\n]*)\nterm=(?<termLast>\\d+))\n");

  private VoteFile() {}

  /** The file in the directory of a replica. */
  public static Path in(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * Reads the file.
   *
   * @throws DamagedLogException if it is not as it was written
   */
  public static RaftStorageMetadata read(Path file) throws IOException {
    String text = new String(ReplicaReads.all(file, BYTES_MAX), StandardCharsets.UTF_8);
    Matcher present = FORMAT.matcher(text);
    try {
      if (present.matches()
          && present.group("checksum").equals(Checksums.of(present.group("values")))) {
        return value(present.group("term"), present.group("vote"));
      }
      Matcher former = FORMER.matcher(text);
      if (former.matches()) {
        return former.group("term") == null
            ? value(former.group("termLast"), former.group("voteFirst"))
            : value(former.group("term"), former.group("vote"));
      }
    } catch (NumberFormatException e) {
      // More digits than a term has: reported below.
    }
    throw new DamagedLogException(
        String.format(
            Locale.ROOT,
            "The file %s, which holds this replica's term and vote, differs from what was written: the replica could vote a second time in one term. Restore the file, or replace the node.",
            file));
  }

  private static RaftStorageMetadata value(String term, String vote) {
    return RaftStorageMetadata.valueOf(Long.parseLong(term), RaftPeerId.valueOf(vote));
  }

  /** Replaces the file; it is durable when the call returns, under its name. */
  public static void write(Path file, RaftStorageMetadata value) throws IOException {
    String vote = value.getVotedFor().toString();
    if (vote.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("The name of a candidate has a line break.");
    }
    String values =
        String.format(Locale.ROOT, "quorate vote 1\nterm=%d\nvotedFor=%s\n", value.getTerm(), vote);
    String text = values + "crc32c=" + Checksums.of(values) + "\n";
    DurableFiles.replace(
        file, file.resolveSibling(DRAFT), ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Lets a new replica begin in a term without a vote, so that its group elects leaders for greater
   * terms only. Has no effect on a replica that exists. Durable when the call returns.
   *
   * @param directory of Ratis' files of the replica, which may not exist yet
   */
  public static void begin(Path directory, long term) throws IOException {
    Path file = directory.resolve(NAME);
    if (Files.exists(file)) {
      return;
    }
    Files.createDirectories(directory);
    DurableFiles.syncDirectory(directory.getParent());
    DurableFiles.syncDirectory(directory.getParent().getParent());
    write(file, RaftStorageMetadata.valueOf(term, null));
  }

  /**
   * Checks the file of a replica that is about to be opened, and gives it a checksum if it has
   * none. Has no effect on a new replica.
   *
   * @param directory of Ratis' files of the replica, which may not exist yet
   * @throws DamagedLogException if the file is not as it was written
   */
  public static void inspect(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    if (Files.exists(file)) {
      write(file, read(file));
    }
  }

  /** The candidate that a vote is for; empty if no vote was given in the term. */
  public static Optional<RaftPeerId> candidate(RaftStorageMetadata value) {
    return Optional.of(value.getVotedFor()).filter(vote -> !vote.toString().isEmpty());
  }
}
