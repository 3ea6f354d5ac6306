package io.quorate.benchmarks.peers.jvm;

import io.quorate.benchmarks.peers.contender.ClientLibrary;
import io.quorate.benchmarks.peers.contender.PeerConnection;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The published Java client of another database, with a class path of its own: it has another
 * version of Netty than this program. Beside its own work, a call sets the context class loader of
 * its thread, and each response passes through one further stage.
 */
public final class JavaClient implements ClientLibrary {
  private final MavenProject project;
  private final String description;
  private Path directory = Path.of("");

  private JavaClient(String name, String description) {
    this.project = new MavenProject(name, List.of("Client"));
    this.description = description;
  }

  /** The client of etcd. */
  public static JavaClient jetcd() {
    return new JavaClient("jetcd", "jetcd 0.8.7");
  }

  /** The client of Redis, with one connection. */
  public static JavaClient lettuce() {
    return new JavaClient("lettuce", "Lettuce 7.7.0.RELEASE");
  }

  @Override
  public String description() {
    return description;
  }

  MavenProject project() {
    return project;
  }

  @Override
  public void prepare(Programs programs) throws UnavailableException, InterruptedException {
    directory = project.build(programs);
  }

  @Override
  public PeerConnection open(String addresses) throws IOException {
    return IsolatedConnection.open(IsolatedConnection.loader(directory), addresses);
  }
}
