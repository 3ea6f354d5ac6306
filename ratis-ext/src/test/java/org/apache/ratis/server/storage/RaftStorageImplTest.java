package org.apache.ratis.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.ratis.patches.ConfigurationFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaftStorageImplTest {
  @TempDir private Path directory;
  private Path file;
  private RaftStorageImpl storage;

  @BeforeEach
  void open() throws IOException {
    file = directory.resolve("current/raft-meta.conf");
    storage = open(StartupOption.RECOVER);
  }

  private RaftStorageImpl open(StartupOption option) throws IOException {
    RaftStorageImpl opened =
        StorageImplUtils.newRaftStorage(directory.toFile(), SizeInBytes.ZERO, option, null);
    opened.initialize();
    return opened;
  }

  @AfterEach
  void close() throws IOException {
    storage.close();
  }

  @Test
  void aNewDirectoryHasAVoteAndNoConfiguration() throws IOException {
    assertThat(storage.getMetadataFile().getMetadata()).isEqualTo(RaftStorageMetadata.getDefault());
    assertThat(directory.resolve("current/raft-meta")).exists();
    assertThat(storage.readRaftConfiguration()).isNull();
  }

  @Test
  void whatIsWrittenIsReadByTheNextProcess() throws IOException {
    storage.writeRaftConfiguration(entry(2, 30, "n4"));
    storage.close();
    storage = open(StartupOption.RECOVER);
    assertThat(storage.readRaftConfiguration().getLogEntryIndex()).isEqualTo(30);
    assertThat(storage.readRaftConfiguration().getCurrentPeers())
        .extracting(peer -> peer.getId().toString())
        .containsExactly("n4");
  }

  /** An entry of the log is applied after a leader has announced a snapshot with a later one. */
  @Test
  void anOlderConfigurationDoesNotReplaceANewerOne() throws IOException {
    storage.writeRaftConfiguration(entry(5, 80, "n4"));
    storage.writeRaftConfiguration(entry(4, 40, "n3"));
    storage.writeRaftConfiguration(entry(5, 79, "n3"));
    storage.writeRaftConfiguration(entry(4, 90, "n3"));
    assertThat(ConfigurationFile.read(file)).contains(entry(5, 80, "n4"));
    storage.writeRaftConfiguration(entry(5, 81, "n5"));
    assertThat(ConfigurationFile.read(file)).contains(entry(5, 81, "n5"));
  }

  /** A leader announced one that was never committed, and another leader has replaced it. */
  @Test
  void theConfigurationOfALaterTermReplacesOneOfALaterEntry() throws IOException {
    storage.writeRaftConfiguration(entry(5, 80, "n4"));
    storage.writeRaftConfiguration(entry(6, 70, "n3"));
    assertThat(ConfigurationFile.read(file)).contains(entry(6, 70, "n3"));
  }

  /** The thread that applies entries ends, so that the log is not purged up to this one. */
  @Test
  void aWriteThatFailsIsReported() throws IOException {
    storage.writeRaftConfiguration(entry(2, 30, "n3"));
    Path draft = Files.createDirectory(file.resolveSibling("raft-meta.conf.draft"));
    assertThatThrownBy(() -> storage.writeRaftConfiguration(entry(2, 31, "n4")))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(storage.readRaftConfiguration().getLogEntryIndex()).isEqualTo(30);
    Files.delete(draft);
    storage.writeRaftConfiguration(entry(2, 31, "n4"));
    assertThat(storage.readRaftConfiguration().getLogEntryIndex()).isEqualTo(31);
  }

  @Test
  void aDamagedFileIsNotTakenForNone() throws IOException {
    storage.writeRaftConfiguration(entry(2, 30, "n3"));
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    assertThatThrownBy(storage::readRaftConfiguration).hasMessageContaining(file.toString());
    assertThatThrownBy(() -> storage.writeRaftConfiguration(entry(2, 31, "n4")))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(file).hasBinaryContent(bytes);
  }

  private static LogEntryProto entry(long term, long index, String member) {
    return LogEntryProto.newBuilder()
        .setTerm(term)
        .setIndex(index)
        .setConfigurationEntry(
            RaftConfigurationProto.newBuilder()
                .addPeers(
                    RaftPeerProto.newBuilder()
                        .setId(ByteString.copyFromUtf8(member))
                        .setAddress("127.0.0.1:7101")))
        .build();
  }
}
