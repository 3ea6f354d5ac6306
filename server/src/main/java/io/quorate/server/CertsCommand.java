package io.quorate.server;

import io.quorate.common.FileErrors;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code certs}: makes an authority and certificates. */
@Command(
    name = "certs",
    mixinStandardHelpOptions = true,
    description = {
      "Make certificates for nodes and users, signed by an authority in a directory.",
      "The authority is made if there is none. Each certificate has a directory of its own, below"
          + " nodes or users, with the files ca.crt, tls.crt and tls.key. Who has ca.key can make"
          + " certificates: keep it where no node can read it."
    })
public final class CertsCommand implements Callable<Integer> {
  /** Of what "keytool" accepts; an address of IPv6 has colons. */
  private static final String HOST =
      "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*";

  private final Terminal terminal;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "The directory of the authority.")
  private Path directory;

  @Option(
      names = "--node",
      paramLabel = "ID[=HOST[,HOST...]]",
      description =
          "A node, and the names and addresses for which browsers accept its certificate (default:"
              + " localhost and 127.0.0.1). May be repeated.")
  private List<String> nodes = List.of();

  @Option(names = "--user", paramLabel = "NAME", description = "A user. May be repeated.")
  private List<String> users = List.of();

  public CertsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try {
      Authority authority = Authority.in(directory);
      for (String node : nodes) {
        int end = node.indexOf('=');
        String id = end < 0 ? node : node.substring(0, end);
        Set<String> hosts =
            end < 0
                ? Set.of("localhost", "127.0.0.1")
                : new LinkedHashSet<>(List.of(node.substring(end + 1).split(",", -1)));
        requireHosts(id, hosts);
        sign(authority, Kind.NODE, id, hosts, directory.resolve("nodes"));
      }
      for (String user : users) {
        sign(authority, Kind.USER, user, Set.of(), directory.resolve("users"));
      }
      return ExitCode.OK.code();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    } catch (IOException e) {
      terminal.err().println(FileErrors.endOfSentence(e));
      return ExitCode.USAGE.code();
    } finally {
      terminal.out().flush();
    }
  }

  private static void requireHosts(String id, Set<String> hosts) {
    for (String host : hosts) {
      if (!host.matches(HOST)) {
        throw new IllegalArgumentException(
            "A host of node " + id + " is a name or an address, not \"" + host + "\".");
      }
    }
  }

  private void sign(Authority authority, Kind kind, String name, Set<String> hosts, Path below)
      throws IOException {
    CertificateName owner = new CertificateName(kind, name);
    Path target = below.resolve(name);
    authority.sign(owner, hosts, target);
    terminal.out().printf(Locale.ROOT, "%s: %s%n", owner, target);
  }
}
