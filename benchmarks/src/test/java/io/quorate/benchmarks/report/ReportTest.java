package io.quorate.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final Row ONE = new Row("kv", "put, 1 client", "raft", "throughput", 200, "ops/s");
  private static final Row MANY =
      new Row("kv", "put, 256 clients", "raft", "throughput", 5_000.5, "ops/s")
          .against("put, 1 client", ONE);
  private static final Report REPORT =
      new Report("bench kv --note \"a\\b\"", new Machine(2, 0.5), List.of(ONE, MANY));

  @TempDir private Path directory;

  @Test
  void jsonHasTheExpectedShape() {
    assertThat(ReportJson.of(REPORT))
        .isEqualTo(
            """
            {"command": "bench kv --note \\"a\\\\b\\"",
             "machine": {"cores": 2, "load": 0.5},
             "rows": [
              {"experiment": "kv", "workload": "put, 1 client", "preset": "raft", "baseline": null, "metric": "throughput", "value": 200, "unit": "ops/s", "ratio": null, "paper": null},
              {"experiment": "kv", "workload": "put, 256 clients", "preset": "raft", "baseline": "put, 1 client", "metric": "throughput", "value": 5000.5, "unit": "ops/s", "ratio": 25.0025, "paper": null}]}
            """);
  }

  @Test
  void csvQuotesFieldsWithACommaOrAQuote() {
    assertThat(ReportCsv.of(REPORT))
        .isEqualTo(
            """
            experiment,workload,preset,baseline,metric,value,unit,ratio,paper
            kv,"put, 1 client",raft,,throughput,200,ops/s,,
            kv,"put, 256 clients",raft,"put, 1 client",throughput,5000.5,ops/s,25.0025,
            """);
  }

  @Test
  void filesAreWrittenIntoMissingDirectories() throws IOException {
    REPORT.writeJson(directory.resolve("a").resolve("b.json"));
    REPORT.writeCsv(directory.resolve("c"), "kv.csv");

    assertThat(directory.resolve("a").resolve("b.json")).hasContent(ReportJson.of(REPORT));
    assertThat(Files.readString(directory.resolve("c").resolve("kv.csv")))
        .isEqualTo(ReportCsv.of(REPORT));
  }

  @Test
  void figuresThatAreNoNumbersAreNull() {
    assertThat(ReportJson.number(Double.NaN)).isEqualTo("null");
    assertThat(ReportJson.number(1e300)).isEqualTo("1.0E300");
    assertThat(ReportJson.number(0.1 + 0.2)).isEqualTo("0.3");
  }

  @Test
  void thereIsNoRatioToZeroAndNoneAcrossMetrics() {
    Row zero = new Row("kv", "w", "raft", "errors", 0, "calls");

    assertThat(zero.against("w", zero).ratio()).isEmpty();
    assertThatThrownBy(() -> ONE.against("w", zero)).isInstanceOf(IllegalArgumentException.class);
  }
}
