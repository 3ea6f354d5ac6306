package io.quorate.client.cli;

import io.quorate.client.ClientOptions;
import io.quorate.client.Durations;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * What all verbs have in common: where the cluster is, how long to wait, and that a failure is one
 * sentence and an {@link ExitCode}.
 */
@Command(
    showDefaultValues = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    defaultValueProvider = ClientVerb.DefaultAddresses.class)
abstract class ClientVerb implements Callable<Integer> {
  static final String AT = "--at";

  /** How long a person looks at nothing before wondering. */
  private static final long SILENCE_MILLIS = 1000;

  private final Terminal terminal;
  private final Connections connections;

  @Spec private CommandSpec spec;

  @Option(
      names = AT,
      paramLabel = "HOST:PORT[,...]",
      description = "Nodes of the cluster; one is enough. QUORATE_AT sets the default.")
  private String at;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "How long to try: 500ms, 10s, 1m; at most 5m.")
  private Duration timeout;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  ClientVerb(Terminal terminal, Connections connections) {
    this.terminal = terminal;
    this.connections = connections;
  }

  /**
   * Does what the verb is for.
   *
   * @throws ParameterException if an argument stands for no bytes; nothing was sent then
   */
  abstract ExitCode run(QuorateClient client) throws IOException;

  /**
   * Checks what the option parser cannot.
   *
   * @throws ParameterException if the command line makes no sense
   */
  void checkParameters() {}

  @Override
  public final Integer call() {
    checkParameters();
    ClientOptions options = options();
    AtomicBoolean isDone = new AtomicBoolean();
    if (terminal.isInteractive() && isOneRequest()) {
      CompletableFuture.delayedExecutor(SILENCE_MILLIS, TimeUnit.MILLISECONDS)
          .execute(() -> reportWaiting(isDone));
    }
    QuorateClient client = connections.open(options);
    try {
      ExitCode code = run(client);
      // A full disk must not leave half a copy that looks like a whole one.
      if (terminal.out().checkError()) {
        complain("The command was executed, but its output could not be written completely.");
        return ExitCode.USAGE.code();
      }
      return code.code();
    } catch (QuorateException e) {
      complain(e.getMessage());
      return ExitCode.of(e).code();
    } catch (IOException e) {
      complain(e.getMessage());
      return ExitCode.USAGE.code();
    } finally {
      isDone.set(true);
      connections.release(client);
      terminal.out().flush();
    }
  }

  /** Whether there is nothing to be seen until the verb is done. */
  boolean isOneRequest() {
    return true;
  }

  private void reportWaiting(AtomicBoolean isDone) {
    if (!isDone.get()) {
      complain("No response yet; trying for " + Durations.text(timeout) + " in all (--timeout).");
    }
  }

  final Terminal terminal() {
    return terminal;
  }

  final void complain(String sentence) {
    terminal.err().println(sentence);
  }

  final ParameterException misused(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }

  /**
   * The key that an argument stands for.
   *
   * @throws ParameterException if it stands for no bytes, or for none at all
   */
  final byte[] key(Notation notation, String argument) {
    byte[] key = bytes(notation, "The key", argument);
    if (key.length == 0) {
      throw misused("A key has at least 1 byte; this one is empty.");
    }
    return key;
  }

  /**
   * The bytes that an argument stands for.
   *
   * @param name what the argument is, as the subject of a sentence
   * @throws ParameterException if it stands for no bytes
   */
  final byte[] bytes(Notation notation, String name, String argument) {
    try {
      return notation.parse(argument);
    } catch (IllegalArgumentException e) {
      throw misused(name + " " + e.getMessage() + ".");
    }
  }

  private ClientOptions options() {
    try {
      Duration attempt = ClientOptions.of(at).attemptTimeout();
      return ClientOptions.builder(at)
          .clientName("cli")
          .weakerReads(true)
          .deadline(timeout)
          .attemptTimeout(timeout.compareTo(attempt) < 0 ? timeout : attempt)
          .build();
    } catch (IllegalArgumentException e) {
      throw misused(e.getMessage());
    }
  }

  /** The addresses that QUORATE_AT has, or those of {@code dev} where it is unset or empty. */
  static final class DefaultAddresses implements CommandLine.IDefaultValueProvider {
    private static final String DEV = "127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003";

    @Override
    public String defaultValue(ArgSpec argument) {
      if (!argument.isOption() || !((OptionSpec) argument).longestName().equals(AT)) {
        return argument.defaultValue();
      }
      return addresses();
    }

    static String addresses() {
      String fromEnvironment = System.getenv("QUORATE_AT");
      return fromEnvironment == null || fromEnvironment.isBlank() ? DEV : fromEnvironment;
    }
  }

  /** Reads {@code 500ms}, {@code 10s}, {@code 1m}. */
  static final class DurationConverter implements CommandLine.ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return Durations.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
