package io.quorate.ratis;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.common.DurableFiles;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupSpec;
import io.quorate.model.GroupId;
import io.quorate.ratis.guards.JoinedReplica;
import io.quorate.ratis.patches.ConfigurationFile;
import io.quorate.ratis.patches.LogVerifier;
import io.quorate.ratis.patches.VoteFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.ratis.protocol.RaftGroupId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ratis' files of this node's replicas: what has to be there before Ratis opens a replica, and that
 * it is as it was written. Every method but {@link #groups} and {@link #current} blocks; for one
 * group, one call at a time.
 */
final class ReplicaFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaFiles.class);

  private final EngineContext context;
  private final LogVerifier verifier;

  /**
   * @param entryBytesMax the maximum size of an entry, as it is configured in Ratis
   */
  ReplicaFiles(EngineContext context, long entryBytesMax) {
    this.context = context;
    this.verifier = new LogVerifier(entryBytesMax);
  }

  /** The directory with those of all groups. */
  Path groups() {
    return context.directory().resolve("groups");
  }

  private Path directory(RaftGroupId id) {
    return groups().resolve(id.getUuid().toString());
  }

  /** The directory of a group's log and of the files beside it. */
  Path current(RaftGroupId id) {
    return directory(id).resolve("current");
  }

  private Path current(GroupSpec spec) {
    return current(RaftIds.groupId(spec.cluster(), spec.group()));
  }

  boolean exist(RaftGroupId id) {
    return Files.exists(directory(id));
  }

  /**
   * Requires the files that a replica has since it began: without them it forgets its votes, what
   * it acknowledged, or who its members are.
   *
   * @throws DamagedReplicaException if one is missing
   */
  void require(GroupSpec spec) throws IOException {
    if (!context.begun().contains(spec.group())) {
      return;
    }
    Path current = current(spec);
    for (Path file :
        List.of(VoteFile.in(current), ConfigurationFile.in(current), DurableEnd.file(current))) {
      if (!Files.exists(file)) {
        throw new DamagedReplicaException(
            String.format(
                Locale.ROOT,
                "The file %s is missing, and votes and entries that this node acknowledged may be lost",
                file));
      }
    }
  }

  /** The name of this node's replica of a group, which no other replica has. */
  private String name(GroupSpec spec) {
    return String.format(
        Locale.ROOT,
        "of region %s at node %s in cluster %s",
        spec.group(),
        context.self(),
        spec.cluster());
  }

  /**
   * Verifies what a replica has, and makes it durable.
   *
   * @param durableIndex the state has all entries up to this index, durably
   * @throws DamagedReplicaException if it differs from what was written
   */
  void verify(GroupSpec spec, long durableIndex) throws IOException {
    Path current = current(spec);
    try {
      long term = VoteFile.inspect(current, name(spec));
      ConfigurationFile.inspect(current);
      VoteFile.requireTerm(current, term, verifier.inspect(current, durableIndex));
    } catch (DamagedLogException e) {
      throw new DamagedReplicaException(e);
    }
    if (spec.joinedBy() > 0 && (durableIndex > 0 || LogVerifier.hasFiles(current))) {
      JoinedReplica.requireFile(current);
    }
  }

  /** Creates the files of a new replica, and records that it has them from now on. */
  void begin(GroupSpec spec) throws IOException {
    if (context.begun().contains(spec.group())) {
      return;
    }
    Path current = current(spec);
    VoteFile.begin(current, name(spec), spec.inheritedEpoch());
    ConfigurationFile.begin(current);
    if (!Files.exists(DurableEnd.file(current))) {
      DurableEnd.replace(current, DurableEnd.Mark.NONE);
    }
    context.begun().add(spec.group());
  }

  /** Records the end of a log that Ratis has closed. */
  void closed(RaftGroupId id) {
    try {
      LogVerifier.closed(current(id));
    } catch (IOException e) {
      LOG.debug("The end of a closed log is not recorded group={}", id, e);
    }
  }

  /**
   * Deletes the files of a replica, so that after a crash it has all of them or none: Ratis itself
   * would leave a part of the log, which no replica could be opened with.
   */
  void remove(RaftGroupId id, GroupId group) throws IOException {
    DurableFiles.deleteTree(MemberSnapshots.directory(context, group));
    Path files = directory(id);
    DurableFiles.deleteAtomically(files, files.resolveSibling(files.getFileName() + ".removed"));
  }
}
