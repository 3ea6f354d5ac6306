package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Checksums;
import io.quorate.common.DamagedLogException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
  private static final String REPLICA = "of region 7 at node n1";
  private static final VoteFile.Content VALUE =
      new VoteFile.Content(REPLICA, RaftStorageMetadata.valueOf(1234, RaftPeerId.valueOf("n3")));

  @TempDir Path directory;
  private Path file;
  private AlteredFile altered;

  @BeforeEach
  void place() {
    file = directory.resolve("raft-meta");
    altered = new AlteredFile(file, () -> VoteFile.inspect(directory, REPLICA));
  }

  @Test
  void itIsText() throws IOException {
    VoteFile.write(file, VALUE);
    assertThat(file)
        .content()
        .startsWith("quorate vote 2\nreplica=" + REPLICA + "\nterm=1234\nvotedFor=n3\ncrc32c=");
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

  /** For example, the directories of two groups were mixed up. */
  @Test
  void theFileOfAnotherReplicaIsRefused() throws IOException {
    VoteFile.write(file, new VoteFile.Content("of region 8 at node n1", VALUE.vote()));
    altered.requireRefused(Files.readAllBytes(file));
  }

  @Test
  void aFileThatIsOlderThanTheLogIsRefused() throws IOException {
    VoteFile.write(file, VALUE);
    long term = VoteFile.inspect(directory, REPLICA);
    VoteFile.requireTerm(directory, term, 0);
    VoteFile.requireTerm(directory, term, 1234);
    assertThatThrownBy(() -> VoteFile.requireTerm(directory, term, 1235))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("later term 1235");
    VoteFile.requireTerm(directory, VoteFile.inspect(directory.resolve("none"), REPLICA), 0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "#\n#Sun Nov 29 06:22:27 UTC 2026\nterm=1234\nvotedFor=n3\n",
        "quorate vote 1\nterm=1234\nvotedFor=n3\ncrc32c=dd7f3a02\n",
        "quorate vote 2\nreplica=of region 7 at node n1\nterm=1234\nvotedFor=n3\ncrc32c=00000000\n"
      })
  void anythingElseIsRefused(String content) throws IOException {
    altered.requireRefused(content.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"?", "99999999999999999999", "\u0661\u0662", "-1", ""})
  void aTermThatIsNoneIsRefused(String term) throws IOException {
    String values = "quorate vote 2\nreplica=" + REPLICA + "\nterm=" + term + "\nvotedFor=n3\n";
    String text = values + "crc32c=" + Checksums.of(values) + "\n";
    altered.requireRefused(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void itsDigitsAreThoseOfNoLanguage() throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertThat("%d".formatted(1)).isNotEqualTo("1");
      VoteFile.write(file, VALUE);
      Path replica = directory.resolve("new/current");
      VoteFile.begin(replica, REPLICA, 7);
      assertThat(replica.resolve("raft-meta")).content().contains("\nterm=7\nvotedFor=\n");
    } finally {
      Locale.setDefault(before);
    }
    assertThat(VoteFile.read(file)).isEqualTo(VALUE);
  }

  @Test
  void aReplicaThatExistsDoesNotBeginAgain() throws IOException {
    VoteFile.write(file, VALUE);
    VoteFile.begin(directory, "of another", 1);
    assertThat(VoteFile.read(file)).isEqualTo(VALUE);
  }

  @Test
  void aReplicaWithoutFilesIsNew() throws IOException {
    VoteFile.inspect(directory.resolve("none"), REPLICA);
    assertThat(directory).isEmptyDirectory();
  }
}
