package io.quorate.benchmarks.micro;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code bench jmh}: passes its arguments to JMH. */
@Command(
    name = "jmh",
    description = "Microbenchmarks; the arguments are JMH's own, see \"bench jmh -h\".")
public final class JmhCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "ARGUMENT", description = "What JMH takes.")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    org.openjdk.jmh.Main.main(arguments.toArray(String[]::new));
    return 0;
  }
}
