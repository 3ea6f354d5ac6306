package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.quorate.QuorateContender;
import io.quorate.benchmarks.peers.run.Measured;
import io.quorate.benchmarks.peers.run.SideBySideRun;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Measures the parts, one after the other. Not thread-safe. */
final class GrowthRun {
  private final GrowthScale scale;
  private final GrowthLoads loads;
  private final Path data;
  private final ProgressLine progress;
  private boolean isInterrupted;

  /**
   * @param data an existing directory, which contains the data of the clusters while they run
   */
  GrowthRun(GrowthScale scale, Path data, ProgressLine progress) {
    this.scale = scale;
    this.loads = new GrowthLoads(scale);
    this.data = data;
    this.progress = progress;
  }

  /**
   * Starts the clusters of each part, measures and removes them. A part that fails is reported, and
   * the next one begins; an interrupt keeps what was measured before. Blocks.
   *
   * @throws IOException if no cluster serves
   * @throws InterruptedException if nothing was measured before the interrupt
   */
  GrowthReport measure(List<GrowthPart> parts) throws IOException, InterruptedException {
    List<MeasuredPart> measured = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (GrowthPart part : parts) {
      if (isInterrupted) {
        failures.add("NOT MEASURED, because the run was interrupted: " + part.title() + ".");
        continue;
      }
      try {
        measured.add(measure(part));
      } catch (IOException e) {
        failures.add("NOT MEASURED: " + part.title() + ". " + e.getMessage());
      } catch (InterruptedException e) {
        if (measured.isEmpty()) {
          throw e;
        }
        isInterrupted = true;
        failures.add("NOT MEASURED, because the run was interrupted: " + part.title() + ".");
      }
    }
    if (measured.isEmpty()) {
      throw new IOException(String.join(" ", failures));
    }
    return new GrowthReport(measured, scale, failures);
  }

  private MeasuredPart measure(GrowthPart part) throws IOException, InterruptedException {
    // Its programs are those of this process.
    Programs none = new Programs(Programs.defaultDirectory(), false, what -> {});
    try (SideBySideRun run =
        new SideBySideRun(
            scale.plan(),
            scale.limitTime(),
            part.loads(),
            scale.clients().get(0),
            data,
            none,
            progress)) {
      Measured measured = run.measure(part.contenders());
      isInterrupted = measured.isInterrupted();
      if (part.isBusy() && scale.fillKeys() > 0 && measured.results().failures().isEmpty()) {
        fill(part, measured);
      }
      return new MeasuredPart(part, measured);
    }
  }

  /** Adds what the clusters write to disk, after all other measurements, which flushes disturb. */
  private void fill(GrowthPart part, Measured measured) {
    Case fill = loads.fill(measured.systems());
    for (GrowthContender contender : part.contenders()) {
      Optional<QuorateContender.Running> cluster = contender.running();
      Optional<SystemUnderTest> system =
          measured.systems().stream()
              .filter(each -> each.name().equals(contender.name()))
              .findFirst();
      if (isInterrupted || cluster.isEmpty() || system.isEmpty()) {
        continue;
      }
      try {
        OptionalDouble written =
            WrittenBytes.measure(
                cluster.get(), contender.name(), scale.fillKeys(), fill.load().clients(), progress);
        written.ifPresent(
            each ->
                measured.results().add(fill, system.get(), Map.of(Metric.WRITTEN_PER_BYTE, each)));
      } catch (InterruptedException e) {
        isInterrupted = true;
        addFailure(measured, contender, "The run was interrupted.");
      } catch (IOException e) {
        addFailure(measured, contender, e.getMessage());
      }
    }
  }

  private static void addFailure(Measured measured, GrowthContender contender, String reason) {
    measured
        .results()
        .addFailure("NOT MEASURED: writes to disk, " + contender.name() + ". " + reason);
  }
}
