package org.apache.ratis.server.storage;

import io.quorate.ratis.log.ReplicaStates;
import io.quorate.ratis.patches.CheckedConfiguration;
import io.quorate.ratis.patches.InPlaceOfRatis;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.util.SizeInBytes;

/**
 * A replica has no files of its own: what Ratis would write beside its log is in the log of the
 * node. It takes the place of the class of this name in Ratis 3.3.0, which writes the last
 * configuration without a checksum, ignores that it could not be written, reads an unreadable one
 * as none, and may write an older one over a newer (decision 0067).
 *
 * <p>Upstream: not reported. Fails without it: {@code ReplicaStatesTest}. Can go when Ratis lets
 * its log write the configuration.
 */
@InPlaceOfRatis
public class RaftStorageImpl implements CheckedConfiguration {
  private final RaftStorageDirectoryImpl directory;
  private final CorruptionPolicy corruption;

  /** Null before Ratis has created the log. */
  private volatile ReplicaStates states;

  RaftStorageImpl(
      File directory, SizeInBytes freeSpaceMin, StartupOption option, CorruptionPolicy corruption) {
    this.directory = new RaftStorageDirectoryImpl(directory, freeSpaceMin);
    this.corruption = corruption;
  }

  /** Sets where the configuration is. */
  public void bind(ReplicaStates to) {
    states = to;
  }

  @Override
  public void initialize() {
    // There is nothing to create.
  }

  @Override
  public RaftStorageDirectoryImpl getStorageDir() {
    return directory;
  }

  @Override
  public CorruptionPolicy getLogCorruptionPolicy() {
    return corruption;
  }

  /** Ratis reads term and vote through the log. */
  @Override
  public RaftStorageMetadataFile getMetadataFile() {
    throw new UnsupportedOperationException("Term and vote are in the log.");
  }

  @Override
  public void writeRaftConfiguration(LogEntryProto entry) {
    try {
      states.setConfiguration(entry);
    } catch (IOException e) {
      throw new UncheckedIOException("The members of a group cannot be written.", e);
    }
  }

  /** None: the log tells Ratis the configuration when it is opened. */
  public RaftConfiguration readRaftConfiguration() {
    return null;
  }

  @Override
  public void close() {
    // The log is closed by itself.
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
