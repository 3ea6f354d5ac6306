package io.quorate.benchmarks.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.torture.fuzz.FuzzSearch;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What a user sees of a search. */
class FuzzCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(FuzzCommand command, String... arguments) {
    return new CommandLine(command)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {"host-port --inputs 0", "--seed 0", "--inputs many"})
  void wrongUseExitsWithTwo(String line) {
    assertThat(run(new FuzzCommand(), line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains("--inputs").doesNotContain("\tat ");
  }

  @Test
  void anUnknownDecoderIsNamedWithThoseThatThereAre() {
    assertThat(run(new FuzzCommand(), "operation", "operaton")).isEqualTo(2);
    assertThat(err.toString())
        .contains("There is no decoder operaton; there are ")
        .contains("host-port, duration")
        .doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aDecoderThatBreaksNoRuleIsSearched(@TempDir Path directory) throws Exception {
    Path json = directory.resolve("result.json");
    int code =
        run(
            new FuzzCommand(),
            "host-port",
            "--inputs",
            "50",
            "--seed",
            "3",
            "--json",
            json.toString());
    assertThat(out.toString())
        .contains("decoder", "branches", "broken rules", "host-port")
        .contains("No rule is broken; 50 inputs of each decoder, seed 3");
    assertThat(code).isZero();
    assertThat(Files.readString(json)).contains("host-port", "broken rules");
  }

  @Test
  void aBrokenRuleIsPrintedAndExitsWithOne() {
    FuzzCommand.Search search =
        (target, inputs, seed, directory) ->
            new FuzzSearch.Outcome(
                7,
                target.name().equals("hello")
                    ? Optional.of("hello: it threw; the input is 0a")
                    : Optional.empty());
    assertThat(run(new FuzzCommand(search), "operation", "hello")).isEqualTo(1);
    assertThat(out.toString())
        .contains("hello: it threw; the input is 0a")
        .contains("A RULE IS BROKEN; 100,000 inputs of each decoder, seed 1");
  }
}
