package io.quorate.server.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.Future;
import io.quorate.common.LogLimit;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the admin port: serves its requests one after the other; other threads create
 * the pages. Runs on the event loop.
 */
final class AdminConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(AdminConnection.class);
  private static final LogLimit FAILING = LogLimit.oneAMinute();

  /** Until a complete request. Monitoring systems keep a connection open between two requests. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

  /** Until the page has been created and sent to the client. */
  private static final Duration RESPONSE_TIMEOUT = AdminServer.CHANGE_TIMEOUT.plusSeconds(5);

  private final AdminPages pages;
  private final AdminThreads threads;
  private final WaitingConnections waiting;
  private final AdminDoor door;
  private Future<?> timeout;

  /**
   * What the response to a request depends on.
   *
   * @param keepAlive whether the connection serves further requests; not after an invalid one
   */
  private record Exchange(HttpMethod method, boolean keepAlive, boolean acceptsGzip) {
    static Exchange of(FullHttpRequest request) {
      return new Exchange(
          request.method(),
          request.decoderResult().isSuccess() && HttpUtil.isKeepAlive(request),
          request
              .headers()
              .containsValue(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.GZIP, true));
    }

    boolean isHead() {
      return method.equals(HttpMethod.HEAD);
    }
  }

  AdminConnection(
      AdminPages pages, AdminThreads threads, WaitingConnections waiting, AdminDoor door) {
    this.door = door;
    this.pages = pages;
    this.threads = threads;
    this.waiting = waiting;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    awaitRequest(context);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    waiting.remove(context.channel());
    timeout.cancel(false);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    waiting.remove(context.channel());
    context.channel().config().setAutoRead(false);
    closeAfter(context, RESPONSE_TIMEOUT);
    Exchange exchange = Exchange.of(request);
    SocketAddress from = context.channel().remoteAddress();
    Optional<AdminPage> refusal = door.refusal(request, from);
    if (refusal.isPresent()) {
      respond(context, refusal.get(), exchange);
      return;
    }
    try {
      AdminRequest wanted = AdminRequest.of(request);
      String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
      Executor first =
          wanted.isForAnyone()
              ? threads.health()
              : authorization.isEmpty() ? threads.pages() : threads.logins();
      first.execute(
          () ->
              createPage(wanted, authorization, from)
                  .thenAccept(page -> respond(context, page, exchange)));
    } catch (IllegalArgumentException e) {
      respond(context, AdminPage.of(400, "The query is not valid."), exchange);
    } catch (RejectedExecutionException e) {
      respond(context, AdminPage.of(503, "Too many requests wait for a page."), exchange);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // The client has closed the connection, or has sent something other than HTTP.
    LOG.debug("A connection to the admin port failed", cause);
    context.close();
  }

  private CompletionStage<AdminPage> createPage(
      AdminRequest request, String authorization, SocketAddress from) {
    try {
      Optional<AdminPage> refusal = door.refusal(request, authorization, from);
      if (refusal.isPresent()) {
        return CompletableFuture.completedFuture(refusal.get());
      }
      CompletionStage<AdminPage> page =
          authorization.isEmpty() || request.isForAnyone()
              ? pages.page(request)
              : CompletableFuture.supplyAsync(() -> pages.page(request), threads.pages())
                  .thenCompose(Function.identity());
      return page.exceptionally(failure -> failed(request.path(), failure));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(failed(request.path(), e));
    }
  }

  private static AdminPage failed(String path, Throwable failure) {
    FAILING.log(
        leftOut ->
            LOG.error(
                "A page could not be created path={}{}", path, LogLimit.text(leftOut), failure));
    return AdminPage.of(500, "The page could not be created; the node's log has the reason.");
  }

  /** Any thread. */
  private void respond(ChannelHandlerContext context, AdminPage page, Exchange exchange) {
    boolean isCompressed = exchange.acceptsGzip() && page.gzip().isPresent();
    byte[] body = isCompressed ? page.gzip().get() : page.body();
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(page.code()),
            exchange.isHead() ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, page.type());
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    if (isCompressed) {
      response.headers().set(HttpHeaderNames.CONTENT_ENCODING, HttpHeaderValues.GZIP);
    }
    page.headers().forEach(response.headers()::set);
    HttpUtil.setKeepAlive(response, exchange.keepAlive());
    context
        .writeAndFlush(response)
        .addListener(
            done -> {
              if (exchange.keepAlive() && done.isSuccess()) {
                awaitRequest(context);
                context.channel().config().setAutoRead(true);
              } else {
                context.close();
              }
            });
  }

  private void awaitRequest(ChannelHandlerContext context) {
    waiting.add(context.channel());
    closeAfter(context, REQUEST_TIMEOUT);
  }

  private void closeAfter(ChannelHandlerContext context, Duration time) {
    if (timeout != null) {
      timeout.cancel(false);
    }
    timeout =
        context.executor().schedule(() -> context.close(), time.toMillis(), TimeUnit.MILLISECONDS);
  }
}
