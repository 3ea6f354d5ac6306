package io.quorate.benchmarks.ycsb.run;

import io.quorate.benchmarks.ycsb.QuorateBinding;
import io.quorate.common.ShutdownHook;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import site.ycsb.Client;

/**
 * Runs the client of stock YCSB in a JVM of its own, because it ends its JVM. The JVM has the class
 * path and the flags of this one.
 */
final class YcsbProcess {
  private static final Pattern PROGRESS =
      Pattern.compile(".* \\d+ sec: (\\d+) operations; (?:([\\d.]+) current ops/sec; )?.*");

  /** These properties redirect YCSB's report. */
  private static final Set<String> REPORT_PROPERTIES =
      Set.of(Client.EXPORTER_PROPERTY, Client.EXPORT_FILE_PROPERTY);

  private static final int BAR_WIDTH = 20;
  private static final int MESSAGES_MAX = 1000;

  private final WorkloadFile workload;
  private final int threads;
  private final ProgressLine progress;
  private final Consumer<String> output;

  /**
   * @param output receives each line of YCSB's report
   */
  YcsbProcess(WorkloadFile workload, int threads, ProgressLine progress, Consumer<String> output) {
    this.workload = workload;
    this.threads = threads;
    this.progress = progress;
    this.output = output;
  }

  /**
   * Runs a phase. Blocks until it ends.
   *
   * @param operations number of the operations of the phase, for the progress
   */
  YcsbOutput run(Phase phase, long operations) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command(phase)).redirectErrorStream(true).start();
    ShutdownHook endWithJvm = new ShutdownHook("ycsb-end", process::destroyForcibly);
    endWithJvm.register();
    try {
      process.getOutputStream().close();
      return read(process, phase, operations);
    } finally {
      process.destroyForcibly().waitFor();
      endWithJvm.close();
    }
  }

  private YcsbOutput read(Process process, Phase phase, long operations) throws IOException {
    List<String> measurements = new ArrayList<>();
    List<String> messages = new ArrayList<>();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher status = PROGRESS.matcher(line);
      if (status.matches()) {
        progress.show(() -> progress(phase, status, operations));
      } else if (YcsbOutput.isMeasurement(line)) {
        progress.close();
        measurements.add(line);
        output.accept(line);
      } else if (messages.size() < MESSAGES_MAX) {
        messages.add(line);
      }
    }
    return new YcsbOutput(measurements, messages);
  }

  private String progress(Phase phase, Matcher status, long operations) {
    long done = Long.parseLong(status.group(1));
    return workload.name()
        + ", "
        + phase
        + ": "
        + ProgressLine.bar((double) done / Math.max(1, operations), BAR_WIDTH)
        + (status.group(2) == null ? "" : ", " + status.group(2) + " ops/s");
  }

  private List<String> command(Phase phase) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    // For decimal points in the progress.
    command.add("-Duser.language=en");
    command.addAll(List.of("-cp", classPath(), Client.class.getName()));
    Map<String, String> properties = new TreeMap<>(workload.properties());
    properties.keySet().removeAll(REPORT_PROPERTIES);
    properties.forEach((key, value) -> command.addAll(List.of("-p", key + "=" + value)));
    // The last of several values for one property holds.
    command.addAll(List.of(phase.flag(), "-db", QuorateBinding.class.getName()));
    command.addAll(List.of("-threads", Integer.toString(threads)));
    command.addAll(List.of("-s", "-p", "status.interval=1"));
    return command;
  }

  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
