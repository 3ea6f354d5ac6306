package io.quorate.client.internal.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.FileErrors;
import io.quorate.common.LogLimit;
import io.quorate.protocol.access.ScramClient;
import io.quorate.protocol.connect.AddressRace;
import io.quorate.protocol.tls.NodeGate;
import io.quorate.protocol.tls.Tls;
import io.quorate.protocol.wire.v1.Hello;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loop of a client, and the opening of its connections. Host names are looked up on
 * another thread, which a slow name server may block.
 */
public final class ClientNetwork {
  private static final Logger LOG = LoggerFactory.getLogger(ClientNetwork.class);

  /** More than ending the sessions and the event loop take. */
  private static final LogLimit UNUSABLE = LogLimit.oneAMinute();

  private static final long END_SECONDS = 5;

  private final ClientOptions options;
  private final AddressRace.Lookup names;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final ExecutorService lookups;
  private final Bootstrap bootstrap;
  private final Optional<Tls> tls;
  private final Optional<ScramClient.SecretKeys> secret;

  /**
   * @param names looks up the hosts of nodes
   * @throws IllegalArgumentException if the certificates of the options cannot be used
   */
  public ClientNetwork(ClientOptions options, AddressRace.Lookup names) {
    this.options = options;
    this.names = names;
    tls = options.certificates().map(directory -> load(directory, options));
    secret = options.login().map(user -> new ScramClient.SecretKeys(user.secret()));
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("quorate-client", true), NioIoHandler.newFactory());
    loop = group.next();
    lookups =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("quorate-client-names", true));
    bootstrap =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) options.connectTimeout().toMillis());
  }

  private static Tls load(Path certificates, ClientOptions options) {
    try {
      return options.login().isPresent() ? Tls.anonymous(certificates) : Tls.load(certificates);
    } catch (IOException e) {
      throw new IllegalArgumentException(FileErrors.endOfSentence(e), e);
    }
  }

  /** Connections that are opened later use what has changed. */
  private void reloadSoon(Tls certificates) {
    try {
      lookups.execute(() -> reload(certificates));
    } catch (RejectedExecutionException e) {
      LOG.debug("Certificates are not read: this client is closed", e);
    }
  }

  private static void reload(Tls tls) {
    try {
      tls.reload();
    } catch (IOException e) {
      UNUSABLE.log(
          leftOut ->
              LOG.warn(
                  "Renewed certificates cannot be used, and the former ones stay: {}{}",
                  FileErrors.endOfSentence(e),
                  LogLimit.text(leftOut)));
    }
  }

  public EventLoop loop() {
    return loop;
  }

  /** Opens a connection by any address of the host. On the event loop. */
  public Connection connect(NodeAddress address, Hello hello, Connection.Owner owner) {
    return Connection.open(
        loop, outcome -> start(address, outcome), address, options, hello, owner);
  }

  private Optional<LoginHandler> login() {
    return options
        .login()
        .map(
            user ->
                new LoginHandler(ScramClient.begin(user.name(), secret.orElseThrow()), lookups));
  }

  private AddressRace start(NodeAddress address, AddressRace.Outcome outcome) {
    NodeAddress reached = address;
    AddressRace.Lookup lookup = names;
    try {
      reached = Objects.requireNonNull(options.addressMapping().apply(address), "no address");
    } catch (RuntimeException e) {
      // As a name that cannot be looked up.
      lookup =
          host -> {
            throw new IllegalStateException("the address mapping of the client failed", e);
          };
    }
    tls.ifPresent(this::reloadSoon);
    InetSocketAddress to = InetSocketAddress.createUnresolved(reached.host(), reached.port());
    return AddressRace.start(
        loop,
        lookup,
        lookups,
        bootstrap,
        to,
        options.connectTimeout(),
        tls.isEmpty() ? outcome : new Encrypting(tls.get(), to, login(), outcome));
  }

  /** Connections of TLS. */
  private record Encrypting(
      Tls tls, InetSocketAddress to, Optional<LoginHandler> login, AddressRace.Outcome outcome)
      implements AddressRace.Outcome {
    @Override
    public void connected(Channel channel) {
      NodeGate.install(channel.pipeline(), tls, to);
      outcome.connected(channel);
      // Before the last handler, which greets the node as soon as it learns of the connection.
      login.ifPresent(
          handler -> {
            String last = channel.pipeline().lastContext().name();
            channel.pipeline().addBefore(last, "login", handler);
          });
    }

    @Override
    public void failed(Throwable cause) {
      outcome.failed(cause);
    }
  }

  /** Ends the threads; returns at once. */
  public void shutDown() {
    lookups.shutdownNow();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS);
  }

  /** Blocks until the event loop has ended, or for {@link #END_SECONDS} if something blocks it. */
  public void awaitEnd() {
    if (!group.terminationFuture().awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS)) {
      LOG.atWarn()
          .addKeyValue("seconds", END_SECONDS)
          .log(
              "A client was not closed in time, since a stage or a listener of the application"
                  + " blocks its thread; it is closed when that has ended");
    }
  }
}
