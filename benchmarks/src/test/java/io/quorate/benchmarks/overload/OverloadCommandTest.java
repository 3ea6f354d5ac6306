package io.quorate.benchmarks.overload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class OverloadCommandTest {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = new CommandLine(new OverloadCommand());
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  @Test
  void measuresAClusterThatHasMoreToDoThanItCan() throws IOException {
    int status =
        run(
            "--contenders=quorate-raft",
            "--value-bytes=4096",
            "--multiples=0.5,4",
            "--seconds=1",
            "--warmup=1",
            "--data=" + directory,
            "--out=" + directory.resolve("out"),
            "--json=" + directory.resolve("overload.json"));
    assertThat(err.toString()).isEmpty();
    assertThat(status).isZero();
    assertThat(out.toString()).contains("Puts of 4096 B", "quorate-raft", "4.0");
    assertThat(Files.readString(directory.resolve("overload.json")))
        .contains("4096 B, 4.0 times the peak", "modest p99", "throughput after 5 s");
    assertThat(directory.resolve("out/overload-served-4096.svg")).exists();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--contenders=zookeeper | there are quorate-PRESET and etcd",
        "--multiples=2,1 | ascend",
        "--multiples=0 | above 0",
        "--seconds=0 | from 1 to 3600",
        "--warmup=-1 | from 0 to 3600",
        "--heap=64 | from 128 to 65536",
        "--value-bytes=0 | from 1 to 1048576"
      })
  void saysWhatCannotBe(String argument, String sentence) {
    assertThat(run(argument)).isEqualTo(2);
    assertThat(err.toString()).contains(sentence);
  }
}
