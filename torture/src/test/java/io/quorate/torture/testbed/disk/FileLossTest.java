package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileLossTest {
  private static final int WRITTEN = 6_000;
  private static final String OLDER = "consensus/log/00000001.log";
  private static final String NEWEST = "consensus/log/00000002.log";
  private static final String END = "consensus/durable-end";
  private static final String IDENTITIES = "consensus/identities";
  private static final String RECORDS = "replicas/records";
  private static final String ROWS = "storage/rows.sst";

  @TempDir private Path data;

  @BeforeEach
  void writeTheFilesOfANode() throws IOException {
    for (String file : Set.of(OLDER, NEWEST, END, IDENTITIES, RECORDS, ROWS)) {
      Path path = data.resolve(file);
      Files.createDirectories(path.getParent());
      byte[] content = new byte[20_000];
      Arrays.fill(content, 0, WRITTEN, (byte) 7);
      Files.write(path, file.endsWith(".log") || file.equals(ROWS) ? content : new byte[] {1});
      Files.setLastModifiedTime(path, FileTime.fromMillis(1_000_000));
    }
    Files.setLastModifiedTime(data.resolve(NEWEST), FileTime.fromMillis(2_000_000));
  }

  @Test
  void logsAndVotesAreRemoved() throws IOException {
    lose(FileLoss.CONSENSUS);
    assertThat(files()).containsExactly(RECORDS, ROWS);
  }

  @Test
  void theRecordsOfReplicasAreRemoved() throws IOException {
    lose(FileLoss.REPLICAS);
    assertThat(files()).containsExactly(END, IDENTITIES, OLDER, NEWEST, ROWS);
  }

  @Test
  void theLogOfAllRegionsIsRemoved() throws IOException {
    lose(FileLoss.LOG);
    assertThat(files()).containsExactly(END, IDENTITIES, RECORDS, ROWS);
    assertThat(data.resolve("consensus/log")).doesNotExist();
  }

  @Test
  void theNewestFileOfALogIsRemoved() throws IOException {
    lose(FileLoss.LOG_FILE);
    assertThat(files()).containsExactly(END, IDENTITIES, OLDER, RECORDS, ROWS);
  }

  @Test
  void halfOfTheWrittenBytesOfTheNewestFileOfALogIsCut() throws IOException {
    lose(FileLoss.HALF_LOG_FILE);
    assertThat(files()).hasSize(6);
    assertThat(data.resolve(NEWEST)).hasSize(WRITTEN / 2);
    assertThat(data.resolve(OLDER)).hasSize(20_000);
  }

  @ParameterizedTest
  @EnumSource(FileLoss.class)
  void whereNothingOfTheKindIsThereNothingIsLost(FileLoss kind) throws IOException {
    for (FileLoss each : Set.of(FileLoss.CONSENSUS, FileLoss.REPLICAS)) {
      lose(each);
    }
    assertThat(kind.apply(data, new Random(1))).isEmpty();
    assertThat(files()).containsExactly(ROWS);
  }

  private void lose(FileLoss kind) throws IOException {
    assertThat(kind.apply(data, new Random(1))).isPresent();
  }

  private Set<String> files() throws IOException {
    try (Stream<Path> paths = Files.walk(data)) {
      return new TreeSet<>(
          paths
              .filter(Files::isRegularFile)
              .map(path -> data.relativize(path).toString())
              .toList());
    }
  }
}
