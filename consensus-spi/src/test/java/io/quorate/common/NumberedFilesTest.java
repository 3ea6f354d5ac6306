package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NumberedFilesTest {
  @TempDir Path directory;

  private void create(String... names) throws IOException {
    for (String name : names) {
      Files.createFile(directory.resolve(name));
    }
  }

  @Test
  void filesAreFoundInTheOrderOfTheirNumbers() throws IOException {
    NumberedFiles decimal = NumberedFiles.decimal(directory, 8, ".log");
    NumberedFiles hexadecimal = NumberedFiles.hexadecimal(directory, 16, ".bodies");
    List<Long> numbers = List.of(0L, 1L, 16L, 99_999_999L, 100_000_000L, Long.MAX_VALUE);
    for (long number : numbers) {
      Files.createFile(decimal.file(number));
      Files.createFile(hexadecimal.file(number));
    }
    assertThat(decimal.numbers()).isEqualTo(numbers);
    assertThat(hexadecimal.numbers()).isEqualTo(numbers);
    assertThat(decimal.file(16)).hasFileName("00000016.log");
    assertThat(hexadecimal.file(16)).hasFileName("0000000000000010.bodies");
  }

  @Test
  void otherFilesAreIgnored() throws IOException {
    create("abc.log", ".log", "1.log", "000000001.log", "+0000001.log", "-0000001.log");
    create(
        "00000001.new",
        "00000001.LOG",
        "00000001.log~",
        "\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661.log");
    create("9223372036854775808.log", "99999999999999999999999999.log");
    create("ffffffffffffffff.bodies", "8000000000000000.bodies", "000000000000000A.bodies");
    create("00000000000000001.bodies", "-000000000000001.bodies", "000000000000000g.bodies");
    assertThat(NumberedFiles.decimal(directory, 8, ".log").numbers()).isEmpty();
    assertThat(NumberedFiles.hexadecimal(directory, 16, ".bodies").numbers()).isEmpty();
  }
}
