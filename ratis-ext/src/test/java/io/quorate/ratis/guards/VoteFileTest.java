package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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

  @BeforeEach
  void place() {
    file = directory.resolve("raft-meta");
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
    byte[] content = Files.readAllBytes(file);
    for (int bit = 0; bit < content.length * Byte.SIZE; bit++) {
      byte[] changed = content.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      requireRefused(changed);
    }
  }

  @Test
  void everyShorterOrLongerFileIsNoticed() throws IOException {
    VoteFile.write(file, VALUE);
    byte[] content = Files.readAllBytes(file);
    for (int length = 0; length < content.length; length++) {
      requireRefused(Arrays.copyOf(content, length));
      requireRefused(Arrays.copyOfRange(content, content.length - length, content.length));
    }
    requireRefused(Arrays.copyOf(content, content.length + 1));
  }

  private void requireRefused(byte[] content) throws IOException {
    Files.write(file, content);
    assertThatThrownBy(() -> VoteFile.inspect(directory))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(file.toString());
    assertThat(file).hasBinaryContent(content);
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
    requireRefused(content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
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
