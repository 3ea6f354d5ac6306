package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FillAheadTest {
  @TempDir private Path directory;
  private Path file;
  private FileChannel channel;

  @BeforeEach
  void open() throws IOException {
    file = directory.resolve("log");
    channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  @AfterEach
  void close() throws IOException {
    channel.close();
  }

  @Test
  void shortWritesAreFollowedByZerosUntilTheyAreUsedUp() throws IOException {
    append(FillAhead.STEP_BYTES);
    FillAhead fill = new FillAhead(channel, FillAhead.STEP_BYTES);
    append(100);
    int end = FillAhead.STEP_BYTES + 100;
    fill.beforeSync(end);
    int filled = end + FillAhead.STEP_BYTES;
    assertThat(fill.length()).isEqualTo(filled);
    assertThat(channel.position()).isEqualTo(end);
    byte[] expected = new byte[filled];
    Arrays.fill(expected, 0, end, (byte) 1);
    assertThat(file).hasBinaryContent(expected);

    append(FillAhead.SMALL_BYTES);
    fill.beforeSync(channel.position());
    assertThat(file).hasSize(filled);

    append(filled - (int) channel.position());
    fill.beforeSync(channel.position());
    assertThat(file).hasSize(filled);
    append(1);
    fill.beforeSync(channel.position());
    assertThat(fill.length()).isEqualTo(filled + 1 + FillAhead.STEP_BYTES);
    assertThat(file).hasSize(fill.length());
  }

  @Test
  void aFileGrowsWithItsRecordsWhereAnFsyncCoversMany() throws IOException {
    append(FillAhead.STEP_BYTES);
    FillAhead fill = new FillAhead(channel, FillAhead.STEP_BYTES);
    append(FillAhead.SMALL_BYTES + 1);
    fill.beforeSync(channel.position());
    assertThat(file).hasSize(channel.position());
    assertThat(fill.length()).isEqualTo(channel.position());
  }

  @Test
  void aShortFileGrowsWithItsRecords() throws IOException {
    FillAhead fill = new FillAhead(channel, 0);
    append(100);
    fill.beforeSync(100);
    assertThat(file).hasSize(100);
  }

  @Test
  void aFileThatEndsWithZerosIsFilledWhenTheyAreUsedUp() throws IOException {
    int end = FillAhead.STEP_BYTES;
    append(end + 1000);
    FillAhead fill = new FillAhead(channel, end + 400);
    fill.beforeSync(end + 900);
    assertThat(file).hasSize(end + 1000);
    append(10);
    fill.beforeSync(end + 1010);
    assertThat(file).hasSize(end + 1010 + FillAhead.STEP_BYTES);
  }

  private void append(int bytes) throws IOException {
    ByteBuffer ones = ByteBuffer.allocate(bytes);
    Arrays.fill(ones.array(), (byte) 1);
    while (ones.hasRemaining()) {
      channel.write(ones);
    }
  }
}
