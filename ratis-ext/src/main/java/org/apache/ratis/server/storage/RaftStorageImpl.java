package org.apache.ratis.server.storage;

import io.quorate.ratis.patches.CheckedConfiguration;
import io.quorate.ratis.patches.ConfigurationFile;
import io.quorate.ratis.patches.InPlaceOfRatis;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.LogProtoUtils;
import org.apache.ratis.server.storage.RaftStorageDirectoryImpl.StorageState;
import org.apache.ratis.util.FileUtils;
import org.apache.ratis.util.SizeInBytes;

/**
 * The files of one replica beside its log. It takes the place of the class of this name in Ratis
 * 3.3.0, which writes the last configuration without a checksum, ignores that it could not be
 * written, reads an unreadable one as none, and may write an older one over a newer: once the log
 * is purged, the replica then takes part with former members. See ADR 0067.
 *
 * <p>Upstream: not reported. Fails without it: {@code RaftStorageImplTest}. Can go with {@link
 * ConfigurationFile}.
 *
 * <p>{@link #initialize} and {@link #close} are called by one thread at a time; all else is
 * thread-safe.
 */
@InPlaceOfRatis
public class RaftStorageImpl implements CheckedConfiguration {
  private final RaftStorageDirectoryImpl directory;
  private final StartupOption option;
  private final CorruptionPolicy corruption;
  private volatile StorageState state = StorageState.UNINITIALIZED;
  private volatile RaftStorageMetadataFileImpl vote;

  RaftStorageImpl(
      File directory, SizeInBytes freeSpaceMin, StartupOption option, CorruptionPolicy corruption) {
    this.directory = new RaftStorageDirectoryImpl(directory, freeSpaceMin);
    this.option = option;
    this.corruption = Optional.ofNullable(corruption).orElseGet(CorruptionPolicy::getDefault);
  }

  /** Locks the directory, and creates the files of a new replica. Blocks. */
  @Override
  public void initialize() throws IOException {
    try {
      state = option == StartupOption.FORMAT ? create() : open();
      if (state != StorageState.NORMAL) {
        throw new IOException("Failed to load " + directory + ": " + state);
      }
    } catch (IOException | RuntimeException e) {
      try {
        directory.unlock();
      } catch (IOException unlocking) {
        e.addSuppressed(unlocking);
      }
      throw e;
    }
  }

  private StorageState create() throws IOException {
    if (directory.analyzeStorage(false) == StorageState.NON_EXISTENT) {
      throw new IOException("Cannot format " + directory);
    }
    directory.lock();
    format();
    return directory.analyzeStorage(false);
  }

  private StorageState open() throws IOException {
    StorageState found = directory.analyzeStorage(true);
    if (found != StorageState.NON_EXISTENT) {
      // The draft of a term or vote that was never replaced by it.
      FileUtils.deleteIfExists(directory.getMetaTmpFile());
    }
    if (found == StorageState.NORMAL) {
      vote = new RaftStorageMetadataFileImpl(directory.getMetaFile());
      LOG.debug("Read {} from {}", vote.getMetadata(), vote);
    } else if (found == StorageState.NOT_FORMATTED && directory.isCurrentEmpty()) {
      format();
      return StorageState.NORMAL;
    }
    return found;
  }

  private void format() throws IOException {
    directory.clearDirectory();
    RaftStorageMetadataFileImpl created = new RaftStorageMetadataFileImpl(directory.getMetaFile());
    created.persist(RaftStorageMetadata.getDefault());
    vote = created;
  }

  StorageState getState() {
    return state;
  }

  /** What Ratis does with a log that it cannot read completely. */
  public CorruptionPolicy getLogCorruptionPolicy() {
    return corruption;
  }

  @Override
  public RaftStorageDirectoryImpl getStorageDir() {
    return directory;
  }

  @Override
  public void close() throws IOException {
    directory.unlock();
  }

  /** Term and vote; null before {@link #initialize}. */
  @Override
  public RaftStorageMetadataFile getMetadataFile() {
    return vote;
  }

  @Override
  public synchronized void writeRaftConfiguration(LogEntryProto entry) {
    try {
      Optional<LogEntryProto> known = known();
      if (known.isEmpty()
          || TermIndex.valueOf(known.get()).compareTo(TermIndex.valueOf(entry)) < 0) {
        ConfigurationFile.write(configuration(), entry);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The members of a group cannot be written.", e);
    }
  }

  /**
   * The last configuration that was written; null if there is none. Blocks.
   *
   * @throws UncheckedIOException if the file is damaged, or cannot be read
   */
  public RaftConfiguration readRaftConfiguration() {
    try {
      return known().map(LogProtoUtils::toRaftConfiguration).orElse(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  private Optional<LogEntryProto> known() throws IOException {
    Path file = configuration();
    return Files.exists(file) ? ConfigurationFile.read(file) : Optional.empty();
  }

  private Path configuration() {
    return directory.getMetaConfFile().toPath();
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
