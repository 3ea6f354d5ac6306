package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFileTest {
  private static final LogEntryProto ENTRY =
      LogEntryProto.newBuilder()
          .setTerm(3)
          .setIndex(1234)
          .setConfigurationEntry(
              RaftConfigurationProto.newBuilder()
                  .addPeers(
                      RaftPeerProto.newBuilder()
                          .setId(ByteString.copyFromUtf8("n3"))
                          .setAddress("host:7101")))
          .build();

  @TempDir private Path directory;
  private Path file;
  private AlteredFile altered;

  @BeforeEach
  void place() {
    file = directory.resolve("raft-meta.conf");
    altered = new AlteredFile(file, () -> ConfigurationFile.inspect(directory));
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    ConfigurationFile.write(file, ENTRY);
    assertThat(ConfigurationFile.read(file)).contains(ENTRY);
    assertThat(Files.readAllBytes(file)).startsWith("quorate configuration 1\n".getBytes());
  }

  @Test
  void aNewReplicaHasNoneAndAnExistingOneDoesNotBeginAgain() throws IOException {
    ConfigurationFile.begin(directory);
    assertThat(ConfigurationFile.read(file)).isEmpty();
    ConfigurationFile.write(file, ENTRY);
    ConfigurationFile.begin(directory);
    assertThat(ConfigurationFile.read(file)).contains(ENTRY);
  }

  @Test
  void everyChangedBitIsNoticed() throws IOException {
    ConfigurationFile.begin(directory);
    altered.requireEveryChangedBitRefused();
    ConfigurationFile.write(file, ENTRY);
    altered.requireEveryChangedBitRefused();
  }

  @Test
  void everyShorterOrLongerFileIsNoticed() throws IOException {
    ConfigurationFile.write(file, ENTRY);
    altered.requireEveryOtherLengthRefused();
    altered.requireRefused(new byte[2 << 20]);
  }

  /** As Ratis writes it. */
  @Test
  void oneWithoutAChecksumIsRefused() throws IOException {
    altered.requireRefused(ENTRY.toByteArray());
  }

  /** With the right checksum, by a defect elsewhere. */
  @Test
  void anEntryWithoutAConfigurationIsRefused() throws IOException {
    ConfigurationFile.write(file, LogEntryProto.newBuilder().setIndex(3).build());
    altered.requireRefused(Files.readAllBytes(file));
  }

  /** It may be in memory only, and counts as written after a failed fsync. */
  @Test
  void whatIsInspectedIsWrittenAgain() throws IOException {
    ConfigurationFile.write(file, ENTRY);
    byte[] before = Files.readAllBytes(file);
    Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    ConfigurationFile.inspect(directory);
    assertThat(Files.getLastModifiedTime(file)).isGreaterThan(FileTime.fromMillis(0));
    assertThat(file).hasBinaryContent(before);
  }

  @Test
  void aReplicaWithoutFilesIsNew() throws IOException {
    ConfigurationFile.inspect(directory.resolve("none"));
    assertThat(directory).isEmptyDirectory();
  }
}
