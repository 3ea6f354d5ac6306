package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** The memory of the clusters of a part, beside that of the first. Without side effects. */
final class GrowthMemory {
  private static final String EXPERIMENT = "growth-memory";
  private static final String AT_REST = "at rest";
  private static final String AT_REST_RUNNING = "at rest, no region hibernates";
  private static final double BYTES_PER_KIB = 1 << 10;
  private static final double BYTES_PER_MIB = 1 << 20;

  private final GrowthPart part;

  GrowthMemory(GrowthPart part) {
    this.part = part;
  }

  TextTable table() {
    TextTable table =
        TextTable.ofFigures("cluster", "MiB a node", "KiB a region", "KiB a connection");
    for (GrowthContender each : part.contenders()) {
      if (each.memory().isPresent()) {
        MemoryUse memory = each.memory().get();
        table.add(
            each.name(),
            String.format(Locale.ROOT, "%.0f", memory.bytesWithConnections() / BYTES_PER_MIB),
            kib(bytesPerRegion(memory)),
            kib(memory.bytesPerConnection()));
      }
    }
    return table;
  }

  private static String kib(OptionalDouble bytes) {
    return bytes.isPresent()
        ? String.format(Locale.ROOT, "%.1f", bytes.getAsDouble() / BYTES_PER_KIB)
        : "-";
  }

  private OptionalDouble bytesPerRegion(MemoryUse memory) {
    Optional<MemoryUse> one = part.contenders().get(0).memory();
    return one.isPresent() ? memory.bytesPerRegion(one.get()) : OptionalDouble.empty();
  }

  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (GrowthContender each : part.contenders()) {
      each.memory()
          .ifPresent(
              memory -> {
                rows.add(
                    row(each, "rss", memory.bytesWithConnections() / BYTES_PER_MIB, "MiB a node"));
                bytesPerRegion(memory)
                    .ifPresent(
                        bytes -> rows.add(row(each, "region", bytes / BYTES_PER_KIB, "KiB")));
                memory
                    .bytesPerConnection()
                    .ifPresent(
                        bytes -> rows.add(row(each, "connection", bytes / BYTES_PER_KIB, "KiB")));
              });
    }
    return rows;
  }

  private Row row(GrowthContender contender, String metric, double value, String unit) {
    return new Row(
        EXPERIMENT,
        part.isBusy() ? AT_REST_RUNNING : AT_REST,
        contender.name(),
        metric,
        value,
        unit);
  }
}
