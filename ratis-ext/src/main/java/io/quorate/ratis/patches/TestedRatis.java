package io.quorate.ratis.patches;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.ratis.server.RaftServer;

/**
 * Checks that Ratis has the version with which this engine was tested: another one may have other
 * defects, or call what the repairs of this package do not expect.
 *
 * <p>No defect by itself. Can go with this package.
 */
public final class TestedRatis {
  static final String VERSION = "3.3.0";

  /**
   * Each jar of Ratis has it; in a jar into which they were merged it may have several versions.
   */
  private static final String RESOURCE = "ratis-version.properties";

  private static final String KEY = "version=";

  private TestedRatis() {}

  /**
   * Checks the jars of Ratis on the class path of Ratis. Reads their files.
   *
   * @throws IOException if one has another version, or none is known; its message is one sentence
   */
  public static void require() throws IOException {
    require(RaftServer.class.getClassLoader());
  }

  private static void require(ClassLoader ratis) throws IOException {
    TreeMap<String, URL> found = new TreeMap<>();
    for (URL file : Collections.list(ratis.getResources(RESOURCE))) {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(file.openStream(), StandardCharsets.UTF_8))) {
        lines
            .lines()
            .filter(line -> line.startsWith(KEY))
            .forEach(line -> found.putIfAbsent(line.substring(KEY.length()).strip(), file));
      }
    }
    if (found.isEmpty()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The version of Apache Ratis on the class path is unknown, because it has no file %s:"
                  + " add the jars of Ratis %s as they were released, or keep that file in a jar with"
                  + " them.",
              RESOURCE,
              VERSION));
    }
    found.remove(VERSION);
    Map.Entry<String, URL> other = found.firstEntry();
    if (other != null) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The class path has Apache Ratis %s (%s), but this engine was tested with %s only: set"
                  + " the version of all artifacts of org.apache.ratis to %s.",
              other.getKey(),
              other.getValue(),
              VERSION,
              VERSION));
    }
  }
}
