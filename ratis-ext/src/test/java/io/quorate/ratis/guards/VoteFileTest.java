package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VoteFileTest {
  private static final RaftStorageMetadata VALUE =
      RaftStorageMetadata.valueOf(1234, RaftPeerId.valueOf("n3"));

  @TempDir Path directory;
  private Path file;
  private AlteredFile altered;

  @BeforeEach
  void place() {
    file = directory.resolve("raft-meta");
    altered = new AlteredFile(file, () -> VoteFile.inspect(directory));
  }

  @Test
  void itIsText() throws IOException {
    VoteFile.write(file, VALUE);
    assertThat(file).content().startsWith("quorate vote 1\nterm=1234\nvotedFor=n3\ncrc32c=");
    assertThat(VoteFile.read(file)).isEqualTo(VALUE);
  }

  @Test
  void everyChangedBitIsNoticed() throws IOException {
    VoteFile.write(file, VALUE);
    altered.requireEveryChangedBitRefused();
  }

  @Test
  void everyShorterOrLongerFileIsNoticed() throws IOException {
    VoteFile.write(file, VALUE);
    altered.requireEveryOtherLengthRefused();
  }

  /** As Ratis writes it, and as new replicas of a split began. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "#\n#Sun Nov 29 06:22:27 UTC 2026\nterm=1234\nvotedFor=n3\n",
        "#\n#Sun Nov 29 06:22:27 UTC 2026\nvotedFor=n3\nterm=1234\n",
        "term=1234\nvotedFor=n3\n"
      })
  void theFormerFormatIsReadOnceAndGetsAChecksum(String former) throws IOException {
    Files.writeString(file, former);
    VoteFile.inspect(directory);
    assertThat(file).content().startsWith("quorate vote 1\n");
    assertThat(VoteFile.read(file)).isEqualTo(VALUE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "#\n#Sun Nov 29 06:22:27 UTC 2026\nterm=1234\n",
        "term=\u0661\u0662\nvotedFor=n3\n",
        "term=?\nvotedFor=n3\n",
        "term=99999999999999999999\nvotedFor=n3\n",
        "quorate vote 2\nterm=1234\nvotedFor=n3\ncrc32c=00000000\n"
      })
  void anythingElseIsRefused(String content) throws IOException {
    altered.requireRefused(content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  @Test
  void itsDigitsAreThoseOfNoLanguage() throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertThat("%d".formatted(1)).isNotEqualTo("1");
      VoteFile.write(file, VALUE);
      Path replica = directory.resolve("new/current");
      VoteFile.begin(replica, 7);
      assertThat(replica.resolve("raft-meta")).content().contains("\nterm=7\nvotedFor=\n");
    } finally {
      Locale.setDefault(before);
    }
    assertThat(VoteFile.read(file)).isEqualTo(VALUE);
  }

  @Test
  void aReplicaThatExistsDoesNotBeginAgain() throws IOException {
    VoteFile.write(file, VALUE);
    VoteFile.begin(directory, 1);
    assertThat(VoteFile.read(file)).isEqualTo(VALUE);
  }

  @Test
  void aReplicaWithoutFilesIsNew() throws IOException {
    VoteFile.inspect(directory.resolve("none"));
    assertThat(directory).isEmptyDirectory();
  }
}
