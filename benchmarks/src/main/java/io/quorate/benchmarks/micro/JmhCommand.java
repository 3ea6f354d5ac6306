package io.quorate.benchmarks.micro;

import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bench jmh}: passes its arguments to JMH. */
@Command(
    name = "jmh",
    description = {
      "Microbenchmarks; the arguments are JMH's own, see \"bench jmh -h\".",
      "CallsBenchmark also calls etcd and Redis, with their Java clients. What is missing is built"
          + " first, from published artifacts, and kept for the next run; what cannot be had is left"
          + " out, with the reason."
    })
public final class JmhCommand implements Callable<Integer> {
  private static final String CLIENT = "client";

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "ARGUMENT", description = "What JMH takes.")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(arguments);
    if (callsClients(arguments)) {
      all.addAll(List.of("-p", CLIENT + "=" + String.join(",", clients())));
    }
    org.openjdk.jmh.Main.main(all.toArray(String[]::new));
    return 0;
  }

  /** Whether the benchmark of clients runs with all of them. */
  static boolean callsClients(List<String> arguments) {
    CommandLineOptions options;
    try {
      options = new CommandLineOptions(arguments.toArray(String[]::new));
    } catch (CommandLineOptionException e) {
      // JMH says what is wrong.
      return false;
    }
    boolean runs =
        !options.shouldHelp()
            && !options.shouldList()
            && !options.shouldListWithParams()
            && !options.shouldListProfilers()
            && !options.shouldListResultFormats();
    return runs && !options.getParameter(CLIENT).hasValue() && selects(options.getIncludes());
  }

  /** Whether these patterns select a benchmark of clients; none select all benchmarks. */
  private static boolean selects(Collection<String> includes) {
    return includes.isEmpty()
        || Stream.of(CallsBenchmark.class.getMethods())
            .filter(method -> method.isAnnotationPresent(Benchmark.class))
            .map(method -> CallsBenchmark.class.getName() + "." + method.getName())
            .anyMatch(
                name ->
                    includes.stream().anyMatch(each -> Pattern.compile(each).matcher(name).find()));
  }

  /** Our client, and those whose databases can be had. */
  private List<String> clients() throws InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    List<String> clients = new ArrayList<>(List.of(CallsBenchmark.QUORATE));
    Programs programs = ClientOfPeer.programs(err::println);
    for (var database : ClientOfPeer.databases().entrySet()) {
      try {
        database.getValue().prepare(programs);
        clients.add(database.getKey());
      } catch (UnavailableException e) {
        err.println("NOT MEASURED: " + database.getKey() + ". " + e.getMessage());
      }
      err.flush();
    }
    return clients;
  }
}
