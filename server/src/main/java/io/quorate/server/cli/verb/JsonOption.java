package io.quorate.server.cli.verb;

import io.quorate.server.cli.format.JsonText;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The option of a verb for JSON output. */
public final class JsonOption {
  @Option(
      names = "--json",
      description =
          "Print JSON, an object a line. Bytes are text in which \\xNN stands for what is not, and a "
              + "backslash for itself twice; or hexadecimal digits with --hex.")
  private boolean json;

  public boolean isSet() {
    return json;
  }

  /**
   * Prints an object.
   *
   * @param members names and values of the members, alternating
   */
  public void print(PrintStream out, Object... members) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      object.put((String) members[i], members[i + 1]);
    }
    // Not println: a line ends with a line feed on every system.
    out.print(JsonText.line(object) + '\n');
  }
}
