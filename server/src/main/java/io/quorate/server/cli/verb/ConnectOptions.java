package io.quorate.server.cli.verb;

import io.quorate.client.ClientOptions;
import io.quorate.common.FileErrors;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/**
 * The options that say which cluster a command connects to, and as whom. Their defaults are {@link
 * Defaults}.
 */
public final class ConnectOptions {
  private static final String AT = "--at";
  private static final String CERTS = "--certs";
  private static final String USER = "--user";
  private static final String SECRET_FILE = "--secret-file";

  @Option(
      names = AT,
      paramLabel = "HOST:PORT[,...]",
      description = "Nodes of the cluster; one is enough. QUORATE_AT sets the default.")
  private String at;

  @Option(
      names = CERTS,
      paramLabel = "DIR",
      description =
          "Connect by TLS, with ca.crt, tls.crt and tls.key of this directory, or with ca.crt and"
              + " --user. QUORATE_CERTS sets the default.")
  private Path certs;

  @Option(
      names = USER,
      paramLabel = "NAME",
      description =
          "Log in as this user, with the secret in --secret-file. QUORATE_USER sets the default.")
  private String user;

  @Option(
      names = SECRET_FILE,
      paramLabel = "FILE",
      description =
          "The file whose first line is the secret of --user. QUORATE_SECRET_FILE sets the default.")
  private Path secretFile;

  /** Those of the environment. */
  public static ConnectOptions ofEnvironment() {
    ConnectOptions options = new ConnectOptions();
    options.at = Defaults.addresses();
    options.certs = Defaults.certificates().map(Path::of).orElse(null);
    options.user = Defaults.of(USER).orElse(null);
    options.secretFile = Defaults.of(SECRET_FILE).map(Path::of).orElse(null);
    return options;
  }

  /** At the same addresses, other than those of the options. */
  public ConnectOptions at(String addresses) {
    at = addresses;
    return this;
  }

  /**
   * Options of a client of this cluster. Blocks on a file.
   *
   * @throws IllegalArgumentException if an option is not valid, or a file cannot be read
   */
  public ClientOptions.Builder builder() {
    ClientOptions.Builder builder = ClientOptions.builder(at);
    Optional.ofNullable(certs).ifPresent(builder::certificates);
    if (user != null) {
      if (secretFile == null) {
        throw new IllegalArgumentException("--user needs --secret-file.");
      }
      builder.login(user, secret(secretFile));
    }
    return builder;
  }

  /**
   * The secret in a file: its first line.
   *
   * @throws IllegalArgumentException if it cannot be read, or is empty
   */
  public static String secret(Path file) {
    try {
      String secret = Files.readString(file).lines().findFirst().orElse("");
      if (secret.isEmpty()) {
        throw new IllegalArgumentException(
            "The first line of " + file + " is empty, not a secret.");
      }
      return secret;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("The secret in " + file + " is not text in UTF-8.", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "The secret in " + file + " cannot be read: " + FileErrors.reason(e) + ".", e);
    }
  }

  /** Makes these the default of a verb, and of those below it. */
  public void setDefaults(CommandLine verb) {
    Map<String, String> values = new TreeMap<>();
    put(values, AT, at);
    put(values, CERTS, certs);
    put(values, USER, user);
    put(values, SECRET_FILE, secretFile);
    verb.setDefaultValueProvider(
        argument -> values.getOrDefault(name(argument), argument.defaultValue()));
    verb.getSubcommands().values().forEach(this::setDefaults);
  }

  private static void put(Map<String, String> values, String name, Object value) {
    if (value != null) {
      values.put(name, value.toString());
    }
  }

  private static String name(ArgSpec argument) {
    return argument.isOption() ? ((OptionSpec) argument).longestName() : "";
  }

  /** The values of the environment; of the addresses, otherwise those of {@code dev}. */
  public static final class Defaults implements CommandLine.IDefaultValueProvider {
    private static final String DEV = "127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003";
    private static final Map<String, String> VARIABLES =
        Map.of(
            AT,
            "QUORATE_AT",
            CERTS,
            "QUORATE_CERTS",
            USER,
            "QUORATE_USER",
            SECRET_FILE,
            "QUORATE_SECRET_FILE");

    @Override
    public String defaultValue(ArgSpec argument) {
      String name = name(argument);
      return name.equals(AT) ? addresses() : of(name).orElse(argument.defaultValue());
    }

    public static String addresses() {
      return of(AT).orElse(DEV);
    }

    /** The directory in QUORATE_CERTS; empty if it is unset or blank. */
    static Optional<String> certificates() {
      return of(CERTS);
    }

    private static Optional<String> of(String option) {
      return Optional.ofNullable(VARIABLES.get(option))
          .map(System::getenv)
          .filter(text -> !text.isBlank());
    }
  }
}
