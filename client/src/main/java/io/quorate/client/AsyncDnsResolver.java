package io.quorate.client;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Resolves host names on another thread than the event loop, which a slow name server would
 * otherwise block. Numeric addresses are resolved immediately on the event loop.
 */
final class AsyncDnsResolver extends AddressResolverGroup<InetSocketAddress> {
  private final Executor lookups;

  AsyncDnsResolver(Executor lookups) {
    this.lookups = lookups;
  }

  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
    return new Names(executor).asAddressResolver();
  }

  private final class Names extends InetNameResolver {
    Names(EventExecutor executor) {
      super(executor);
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> promise) {
      lookUp(host, promise, InetAddress::getByName);
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
      lookUp(host, promise, name -> List.of(InetAddress.getAllByName(name)));
    }

    private <T> void lookUp(String host, Promise<T> promise, Lookup<T> lookup) {
      boolean isNumber = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
      Executor executor = isNumber ? Runnable::run : lookups;
      executor.execute(
          () -> {
            try {
              promise.trySuccess(lookup.of(host));
            } catch (UnknownHostException e) {
              promise.tryFailure(new UnknownHostException("unknown host " + host));
            }
          });
    }
  }

  private interface Lookup<T> {
    T of(String host) throws UnknownHostException;
  }
}
