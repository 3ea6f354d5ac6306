package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShutdownHookTest {
  /** A program whose hook prints a line. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      ShutdownHook[] hook = new ShutdownHook[1];
      hook[0] =
          new ShutdownHook(
              "hook",
              () -> {
                hook[0].close();
                System.out.print("ran");
              });
      hook[0].register();
      if (arguments[0].equals("remove")) {
        hook[0].close();
        hook[0].close();
      }
      System.exit(Integer.parseInt(arguments[1]));
    }
  }

  @ParameterizedTest
  @CsvSource({"keep,0,ran", "keep,3,ran", "remove,0,''"})
  void runsAtExitUnlessItIsRemoved(String removal, String exitCode, String printed)
      throws IOException, InterruptedException {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName(),
                removal,
                exitCode)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(out).isEqualTo(printed);
    assertThat(program.waitFor()).isEqualTo(Integer.parseInt(exitCode));
  }
}
