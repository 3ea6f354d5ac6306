package io.quorate.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.peers.MapContender.Fault;
import io.quorate.benchmarks.peers.contender.Contender;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PeersCommandTest {
  private static final PeersScale TINY =
      new PeersScale(
          List.of(1, 4),
          4,
          20,
          16,
          List.of(new LargeValues(256, 4, 5), new LargeValues(512, 2, 3)),
          Duration.ofMillis(5),
          new RunPlan(
              2, Duration.ZERO, Duration.ofMillis(5), Duration.ofMillis(5), Duration.ofMinutes(1)));

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(List<Contender> contenders, String... options) {
    String[] arguments =
        Stream.concat(Stream.of("--data", directory.resolve("data").toString()), Stream.of(options))
            .toArray(String[]::new);
    return new CommandLine(new PeersCommand(contenders, TINY, TINY))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setExecutionExceptionHandler(
            (e, command, parsed) -> {
              command.getErr().println(e.getMessage());
              return 3;
            })
        .execute(arguments);
  }

  @Test
  void everyContenderIsMeasuredUnderEveryLoadAndStopped() throws IOException {
    MapContender one = new MapContender("one", Fault.NONE);
    MapContender other = new MapContender("other", Fault.NONE);
    Path files = directory.resolve("out");

    int exitCode = run(List.of(one, other), "--quick", "--out", files.toString());

    assertThat(exitCode).as(out.toString()).isZero();
    assertThat(out.toString())
        .contains(
            "put, 1 client, 20 keys, 16 B",
            "get, 4 clients, 20 keys, 16 B",
            "95 % get, 5 % put, 4 clients",
            "put, 4 clients, 5 keys, 256 B",
            "put, 2 clients, 3 keys, 512 B",
            "Limits of the machine",
            "floor %",
            "cores %",
            "disk %",
            "median of the rounds' ratios to one",
            "other: a map in this process.");
    assertThat(files.resolve("peers.csv"))
        .content()
        .contains(
            "peers-put,",
            "cpu-per-call",
            "peers-latency,",
            "p99.9",
            "latency-floor",
            "cores",
            "peers-limits,all,machine,,fsync-rate,",
            "peers-limits,all,machine,,memory-copy-spread,");
    try (Stream<Path> left = Files.list(directory.resolve("data"))) {
      assertThat(left).isEmpty();
    }
    assertThat(files.resolve("peers.html")).content().contains("Distribution of latency");
    assertThat(files.resolve("peers-put-write-p50.png")).exists();
    assertThat(files.resolve("peers-get-distribution.svg")).exists();
    assertThat(one.isStopped()).isTrue();
    assertThat(other.isStopped()).isTrue();
  }

  @Test
  void aMissingContenderIsListedWithTheReason() throws IOException {
    Path files = directory.resolve("out");

    int exitCode =
        run(
            List.of(new MapContender("one", Fault.NONE), new MapContender("gone", Fault.MISSING)),
            "--out",
            files.toString());

    assertThat(exitCode).as(out.toString()).isZero();
    assertThat(out.toString()).contains("NOT MEASURED: gone. There is no such program.");
    assertThat(Files.readString(files.resolve("peers.csv")))
        .contains("peers-contenders,all,one,,measured,1,", "peers-contenders,all,gone,,measured,0");
  }

  @Test
  void aContenderThatDoesNotServeIsAFailureAndTheOthersAreMeasured() {
    int exitCode =
        run(
            List.of(
                new MapContender("one", Fault.NONE),
                new MapContender("broken", Fault.NOT_SERVING)));

    assertThat(exitCode).isEqualTo(1);
    assertThat(out.toString())
        .contains("NOT MEASURED: broken.", "no port is free", "put, 4 clients, 20 keys, 16 B");
  }

  @Test
  void aContenderThatEndsKeepsWhatWasMeasured() {
    MapContender ends = new MapContender("ends", Fault.ENDS);

    int exitCode = run(List.of(new MapContender("one", Fault.NONE), ends));

    assertThat(exitCode).isEqualTo(1);
    assertThat(out.toString())
        .contains("NOT ALL MEASURED of ends, which failed under put, 4 clients", "out of ideas");
    assertThat(ends.isStopped()).isTrue();
  }

  @Test
  void anInterruptKeepsWhatWasMeasuredBefore() throws IOException {
    MapContender one = new MapContender("one", Fault.INTERRUPTS);
    Path files = directory.resolve("out");

    int exitCode = run(List.of(one), "--out", files.toString());

    assertThat(exitCode).isEqualTo(1);
    assertThat(out.toString())
        .contains("put, 4 clients, 20 keys, 16 B", "NOT ALL MEASURED, because the run was interr")
        .doesNotContain("get, 4 clients");
    assertThat(files.resolve("peers.csv")).content().contains("peers-put,");
    assertThat(one.isStopped()).isTrue();
  }

  @Test
  void aContenderThatCompletesNoCallIsReportedWithTheReason() {
    MapContender refusing = new MapContender("refusing", Fault.REFUSES);

    int exitCode = run(List.of(new MapContender("one", Fault.NONE), refusing));

    assertThat(exitCode).isEqualTo(1);
    assertThat(out.toString())
        .contains(
            "NOT ALL MEASURED of refusing, which failed under put, 1 client",
            "No call succeeded; the first failure: java.io.IOException: the disk is full");
    assertThat(refusing.isStopped()).isTrue();
  }

  @Test
  void withoutAnyContenderNothingIsMeasured() {
    assertThat(run(List.of(new MapContender("gone", Fault.MISSING)))).isEqualTo(3);
    assertThat(err.toString()).contains("gone", "There is no such program.");
  }

  @Test
  void theSelectionDecidesTheOrder() {
    int exitCode =
        run(
            List.of(
                new MapContender("one", Fault.NONE),
                new MapContender("two", Fault.NONE),
                new MapContender("three", Fault.NOT_SERVING)),
            "--contenders",
            "two,one,two");

    assertThat(exitCode).as(out.toString()).isZero();
    assertThat(out.toString()).contains("ratios to two").doesNotContain("three");
  }

  @Test
  void anUnknownNameIsRefused() {
    assertThat(run(List.of(new MapContender("one", Fault.NONE)), "--contenders", "two"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("There is no contender \"two\"; there are one.");
  }
}
