package io.quorate.server.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.concurrent.Future;
import io.quorate.server.admin.AdminPages.Page;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the admin port: serves its requests one after the other; other threads create
 * the pages. Runs on the event loop.
 */
final class AdminConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(AdminConnection.class);

  /** Until a complete request. Monitoring systems keep a connection open between two requests. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

  /** Until the page has been created and sent to the client. */
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

  private final AdminPages pages;
  private final Executor threads;
  private final WaitingConnections waiting;
  private Future<?> timeout;

  AdminConnection(AdminPages pages, Executor threads, WaitingConnections waiting) {
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
    boolean isValid = request.decoderResult().isSuccess();
    boolean keepAlive = isValid && HttpUtil.isKeepAlive(request);
    HttpMethod method = request.method();
    if (!isValid) {
      respond(context, Page.of(400, "This is not a valid HTTP request."), method, false);
    } else if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
      respond(context, Page.of(405, "Only GET is served here."), method, keepAlive);
    } else {
      String path = new QueryStringDecoder(request.uri()).path();
      try {
        threads.execute(() -> respond(context, createPage(path), method, keepAlive));
      } catch (RejectedExecutionException e) {
        respond(context, Page.of(503, "Too many requests wait for a page."), method, keepAlive);
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // The client has closed the connection, or has sent something other than HTTP.
    LOG.debug("A connection to the admin port failed", cause);
    context.close();
  }

  private Page createPage(String path) {
    try {
      return pages.page(path);
    } catch (RuntimeException e) {
      LOG.error("A page could not be created path={}", path, e);
      return Page.of(500, "The page could not be created; the node's log has the reason.");
    }
  }

  /** Any thread. */
  private void respond(
      ChannelHandlerContext context, Page page, HttpMethod method, boolean keepAlive) {
    byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(page.code()),
            method.equals(HttpMethod.HEAD) ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, page.type());
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    HttpUtil.setKeepAlive(response, keepAlive);
    context
        .writeAndFlush(response)
        .addListener(
            done -> {
              if (keepAlive && done.isSuccess()) {
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
