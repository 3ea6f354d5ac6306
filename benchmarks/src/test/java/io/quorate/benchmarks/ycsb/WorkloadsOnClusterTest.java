package io.quorate.benchmarks.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.ycsb.run.YcsbCommand;
import io.quorate.client.QuorateClient;
import io.quorate.testing.EmbeddedCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.htrace.core.Tracer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import site.ycsb.Client;
import site.ycsb.ClientThread;
import site.ycsb.DB;
import site.ycsb.DBFactory;
import site.ycsb.Workload;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;
import site.ycsb.workloads.CoreWorkload;

/**
 * Every workload file, run by the classes of stock YCSB as its client runs them, on an embedded
 * cluster of one node.
 */
@Timeout(120)
class WorkloadsOnClusterTest {
  private static final int RECORDS = 100;
  private static final int OPERATIONS = 200;
  private static final int THREADS = 4;

  private static final Pattern FAILURE = Pattern.compile(".+, Return=(?!OK,).+");

  private static EmbeddedCluster cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  static List<String> names() throws IOException {
    return Workloads.names();
  }

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.start(1);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyOperationSucceeds(String name) throws Exception {
    Properties properties = Workloads.properties(name);
    properties.setProperty(Client.RECORD_COUNT_PROPERTY, Integer.toString(RECORDS));
    properties.setProperty(Client.OPERATION_COUNT_PROPERTY, Integer.toString(OPERATIONS));
    properties.setProperty(CoreWorkload.TABLENAME_PROPERTY, "table-" + name);
    // The values follow from the key, and YCSB compares every record that it reads with them.
    properties.setProperty(CoreWorkload.DATA_INTEGRITY_PROPERTY, "true");
    properties.setProperty(BindingOptions.AT, cluster.addresses());

    assertThat(run(properties, false)).isEqualTo(RECORDS);
    try (QuorateClient client = QuorateClient.connect(cluster.options())) {
      assertThat(client.scanPrefix("table-" + name + "/")).hasSize(RECORDS);
    }
    assertThat(run(properties, true)).isEqualTo(OPERATIONS);
  }

  /** Its client runs in a JVM of its own. */
  @Test
  void theCommandReportsTheFiguresOfYcsb(@TempDir Path directory) throws IOException {
    Path json = directory.resolve("figures.json");

    assertThat(command("delete40", "--json", json.toString())).isZero();

    assertThat(out.toString())
        .contains("[INSERT], Return=OK, " + RECORDS, "[DELETE], Return=OK, ", "0 errors");
    assertThat(json)
        .content()
        .contains("\"metric\": \"scan-p99\"", "\"metric\": \"errors\", \"value\": 0");
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("names")
  void theCommandRunsEveryWorkload(String name) {
    assertThat(command(name)).isZero();
    assertThat(out.toString())
        .contains("[INSERT], Return=OK, " + RECORDS, "0 errors")
        .doesNotContainPattern(FAILURE);
  }

  @Test
  void aLoadThatFailsIsAnErrorOfTheCommand(@TempDir Path directory) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("long-values"),
            """
            workload=site.ycsb.workloads.CoreWorkload
            fieldcount=1
            fieldlength=5000000
            """);

    assertThat(command(file.toString())).isNotZero();

    assertThat(out.toString()).contains("INSERT returned BAD_REQUEST: ");
    assertThat(err.toString()).contains("YCSB completed 0 of 100 operations of the phase load");
  }

  private int command(String workload, String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of(workload, "--at", cluster.addresses()));
    arguments.addAll(List.of("--records", Integer.toString(RECORDS)));
    arguments.addAll(List.of("--operations", Integer.toString(OPERATIONS)));
    arguments.addAll(List.of("--threads", Integer.toString(THREADS)));
    arguments.addAll(List.of(more));
    return new CommandLine(new YcsbCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  /** Runs a phase, and returns the number of its operations. */
  private static long run(Properties properties, boolean isTransactions) throws Exception {
    Measurements.setProperties(properties);
    Workload workload =
        (Workload)
            Class.forName(properties.getProperty(Client.WORKLOAD_PROPERTY))
                .getConstructor()
                .newInstance();
    workload.init(properties);
    int operations = isTransactions ? OPERATIONS : RECORDS;
    CountDownLatch complete = new CountDownLatch(THREADS);
    List<ClientThread> clients = new ArrayList<>();
    try (Tracer tracer = new Tracer.Builder("test").build()) {
      for (int i = 0; i < THREADS; i++) {
        DB binding = DBFactory.newDB(QuorateBinding.class.getName(), properties, tracer);
        ClientThread client =
            new ClientThread(
                binding, isTransactions, workload, properties, operations / THREADS, 0, complete);
        client.setThreadId(i);
        client.setThreadCount(THREADS);
        clients.add(client);
      }
      clients.forEach(client -> new Thread(client).start());
      complete.await();
      workload.cleanup();
    }
    assertThat(FAILURE.matcher(measurements()).results().map(MatchResult::group)).isEmpty();
    return clients.stream().mapToInt(ClientThread::getOpsDone).sum();
  }

  /** The measurements of all workloads so far, because YCSB has one object for them. */
  private static String measurements() throws IOException {
    OutputStream out = new ByteArrayOutputStream();
    try (TextMeasurementsExporter exporter = new TextMeasurementsExporter(out)) {
      Measurements.getMeasurements().exportMeasurements(exporter);
    }
    return out.toString();
  }
}
