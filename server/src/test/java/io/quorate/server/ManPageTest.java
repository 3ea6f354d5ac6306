package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManPageTest {
  private static final List<String> REQUESTS = List.of(".TH", ".SH", ".SS", ".TP", ".B", ".br");

  @Test
  void everyVerbAndOptionIsOnThePage() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, false, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), stream, stream, false);

    int code = Main.commandLine(terminal).execute("generate-man");

    String page = out.toString(StandardCharsets.UTF_8);
    assertThat(code).isZero();
    assertThat(page.lines())
        .contains(".SS quorate put", ".SS quorate dev stop", ".B \\-\\-hex", ".B quorate torture")
        .anyMatch(line -> line.startsWith("\\&quorate cas [") && line.contains("KEY"))
        .allMatch(
            line -> line.startsWith("\\&") || REQUESTS.contains(line.split(" ")[0]),
            "is a request or text");
    Main.commandLine(terminal)
        .getSubcommands()
        .keySet()
        .forEach(verb -> assertThat(page).contains("quorate " + verb.replace("-", "\\-")));
  }
}
