package io.quorate.server.cli.verb;

import io.quorate.client.ClientOptions;
import io.quorate.client.Durations;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.common.Failures;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.Notation;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Base class of all verbs: connects to the cluster, limits the waiting time, and reports a failure
 * as one sentence and an {@link ExitCode}.
 */
@Command(
    showDefaultValues = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    defaultValueProvider = ConnectOptions.Defaults.class)
public abstract class ClientVerb implements Callable<Integer> {
  /** Delay after which an interactive verb reports that it still waits for a response. */
  private static final long WAITING_NOTICE_MILLIS = 1000;

  private final Terminal terminal;
  private final Connections connections;

  @Spec private CommandSpec spec;

  @Mixin private ConnectOptions cluster;

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

  protected ClientVerb(Terminal terminal, Connections connections) {
    this.terminal = terminal;
    this.connections = connections;
  }

  /**
   * Executes the verb.
   *
   * @throws ParameterException if an argument cannot be decoded; nothing was sent then
   */
  protected abstract ExitCode run(QuorateClient client) throws IOException;

  /**
   * Validates what the option parser cannot.
   *
   * @throws ParameterException if the combination of options and arguments is invalid
   */
  protected void checkParameters() {}

  @Override
  public final Integer call() {
    checkParameters();
    ClientOptions options = options();
    AtomicBoolean isDone = new AtomicBoolean();
    if (terminal.isInteractive() && isOneRequest()) {
      CompletableFuture.delayedExecutor(WAITING_NOTICE_MILLIS, TimeUnit.MILLISECONDS)
          .execute(() -> reportWaiting(isDone));
    }
    QuorateClient client;
    try {
      client = connections.open(options);
    } catch (IllegalArgumentException e) {
      throw usageError(e.getMessage());
    }
    try {
      ExitCode code = run(client);
      // A truncated output, for example on a full disk, must not appear to be complete.
      if (terminal.out().checkError()) {
        printError("The command was executed, but its output could not be written completely.");
        return ExitCode.USAGE.code();
      }
      return code.code();
    } catch (QuorateException e) {
      printError(e.getMessage());
      return ExitCode.of(e).code();
    } catch (IOException e) {
      printError(e.getMessage());
      return ExitCode.USAGE.code();
    } finally {
      isDone.set(true);
      terminal.out().flush();
      connections.release(client);
    }
  }

  /** Whether the verb prints nothing until it is done. */
  protected boolean isOneRequest() {
    return true;
  }

  private void reportWaiting(AtomicBoolean isDone) {
    if (!isDone.get()) {
      printError("No response yet; trying for " + Durations.text(timeout) + " in all (--timeout).");
    }
  }

  /** Blocks until a request is complete, and throws the {@link QuorateException} if it fails. */
  protected static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (Failures.unwrap(e) instanceof QuorateException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /**
   * Makes a request from arguments.
   *
   * @throws ParameterException if one of them is not valid
   */
  protected final <T> T checked(Supplier<T> request) {
    try {
      return request.get();
    } catch (IllegalArgumentException e) {
      throw usageError(e.getMessage());
    }
  }

  /** The time that the verb has, or each step of one that waits for a change. */
  protected final Duration timeout() {
    return timeout;
  }

  protected final Terminal terminal() {
    return terminal;
  }

  protected final void printError(String sentence) {
    terminal.err().println(sentence);
  }

  protected final ParameterException usageError(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }

  /**
   * Decodes an argument to a key.
   *
   * @throws ParameterException if it cannot be decoded or is empty
   */
  protected final byte[] key(Notation notation, String argument) {
    byte[] key = bytes(notation, "The key", argument);
    if (key.length == 0) {
      throw usageError("A key has at least 1 byte; this one is empty.");
    }
    return key;
  }

  /**
   * Decodes an argument to bytes.
   *
   * @param name the argument as the subject of a sentence
   * @throws ParameterException if it cannot be decoded
   */
  protected final byte[] bytes(Notation notation, String name, String argument) {
    try {
      return notation.parse(argument);
    } catch (IllegalArgumentException e) {
      throw usageError(name + " " + e.getMessage() + ".");
    }
  }

  /**
   * Decodes an argument to the name of a node.
   *
   * @throws ParameterException if it is not a valid name
   */
  protected final NodeId node(String argument) {
    try {
      return new NodeId(argument);
    } catch (IllegalArgumentException e) {
      throw usageError(e.getMessage() + ".");
    }
  }

  /**
   * The id of a region.
   *
   * @param lowest the lowest number that the verb accepts
   * @throws ParameterException if the number is lower
   */
  protected final GroupId region(int number, int lowest) {
    if (number < lowest) {
      throw usageError("A region's number is " + lowest + " or greater, not " + number + ".");
    }
    return new GroupId(number);
  }

  private ClientOptions options() {
    try {
      ClientOptions.Builder options = cluster.builder();
      ClientOptions defaults = options.build();
      return options
          .clientName("cli")
          .allowNonLinearizableReads(true)
          .deadline(timeout)
          .attemptTimeout(min(timeout, defaults.attemptTimeout()))
          // A node that is slow to greet has as long as the verb.
          .silenceMax(max(timeout, defaults.silenceMax()))
          .build();
    } catch (IllegalArgumentException e) {
      throw usageError(e.getMessage());
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  /** Parses {@code 500ms}, {@code 10s}, {@code 1m}. */
  public static final class DurationConverter implements CommandLine.ITypeConverter<Duration> {
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
