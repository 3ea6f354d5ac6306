package io.quorate.server.node;

import io.quorate.common.DurableFiles;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file by which the samples of applied positions outlive the process. Their times are seconds
 * for which the node has run since its first start, so that no clock of the machine counts. Lines
 * of text:
 *
 * <pre>
 * ran SECONDS
 * REGION SECONDS EPOCH INDEX
 * </pre>
 *
 * <p>A file that is missing or damaged has no samples: sessions then expire later. Blocks.
 */
final class HistoryFile {
  static final String NAME = "session-expiry";

  private static final Logger LOG = LoggerFactory.getLogger(HistoryFile.class);
  private static final String RAN = "ran";

  /**
   * @param ranNanos for how long the node had run
   * @param samples of each region, in order, with times on the same scale
   */
  record Content(long ranNanos, Map<GroupId, List<AppliedHistory.Sample>> samples) {
    static final Content NONE = new Content(0, Map.of());
  }

  private final Path file;

  HistoryFile(Path directory) {
    this.file = directory.resolve(NAME);
  }

  Content read() {
    try {
      return Files.exists(file) ? parse(Files.readAllLines(file)) : Content.NONE;
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      LOG.atWarn()
          .addKeyValue("file", file)
          .addKeyValue("error", e.toString())
          .log("The times of applied positions cannot be read; sessions expire later");
      return Content.NONE;
    }
  }

  private static Content parse(List<String> lines) {
    String[] ran = lines.get(0).split(" ");
    if (!ran[0].equals(RAN)) {
      throw new IllegalArgumentException("The first line is " + lines.get(0));
    }
    Map<GroupId, List<AppliedHistory.Sample>> samples = new TreeMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] fields = line.split(" ");
      samples
          .computeIfAbsent(new GroupId(Integer.parseInt(fields[0])), any -> new ArrayList<>())
          .add(
              new AppliedHistory.Sample(
                  TimeUnit.SECONDS.toNanos(Long.parseLong(fields[1])),
                  new Position(Long.parseLong(fields[2]), Long.parseLong(fields[3]))));
    }
    return new Content(TimeUnit.SECONDS.toNanos(Long.parseLong(ran[1])), samples);
  }

  void write(Content content) {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%s %d%n", RAN, seconds(content.ranNanos())));
    content
        .samples()
        .forEach(
            (region, samples) ->
                samples.forEach(
                    sample ->
                        text.append(
                            String.format(
                                Locale.ROOT,
                                "%d %d %d %d%n",
                                region.value(),
                                seconds(sample.nanos()),
                                sample.position().epoch(),
                                sample.position().index()))));
    ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
    try {
      DurableFiles.replace(file, file.resolveSibling(NAME + ".new"), bytes);
    } catch (IOException e) {
      LOG.atInfo()
          .addKeyValue("file", file)
          .addKeyValue("error", e.toString())
          .log("The times of applied positions were not written");
    }
  }

  private static long seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toSeconds(nanos);
  }
}
