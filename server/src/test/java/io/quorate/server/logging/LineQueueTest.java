package io.quorate.server.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LineQueueTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Accepts nothing until it is opened. */
  private static final class Output extends OutputStream {
    private final CountDownLatch mayWrite = new CountDownLatch(1);
    private final CountDownLatch isWriting = new CountDownLatch(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private volatile boolean rejects;

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      isWriting.countDown();
      try {
        mayWrite.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      if (rejects) {
        throw new IOException("No space left on device");
      }
      synchronized (written) {
        written.write(bytes, offset, length);
      }
    }

    private List<String> lines() {
      synchronized (written) {
        return written.toString(UTF_8).lines().toList();
      }
    }
  }

  private final Output output = new Output();
  private final BlockingQueue<Long> resumed = new LinkedBlockingQueue<>();

  private LineQueue queue(int linesMax, long bytesMax) {
    LineQueue queue = new LineQueue(output, linesMax, bytesMax, resumed::add);
    queue.start();
    return queue;
  }

  private static void add(LineQueue queue, int number) {
    queue.add((number + "\n").getBytes(UTF_8));
  }

  @Test
  void anOutputThatHangsHoldsNobodyUpAndItsLossIsCounted() throws Exception {
    LineQueue queue = queue(100, Long.MAX_VALUE);
    add(queue, 0);
    output.isWriting.await();
    for (int i = 1; i <= 1000; i++) {
      add(queue, i);
    }
    assertThat(queue.dropped()).isEqualTo(900);
    assertThat(queue.flush(Duration.ofMillis(1))).as("flushes in bounded time").isFalse();

    output.mayWrite.countDown();
    assertThat(resumed.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(900);
    assertThat(queue.flush(TIMEOUT)).isTrue();
    assertThat(output.lines()).hasSize(101).startsWith("0", "1", "2").endsWith("99", "100");
  }

  @Test
  void theBytesThatWaitAreBoundedToo() throws Exception {
    LineQueue queue = queue(Integer.MAX_VALUE, 1000);
    add(queue, 0);
    output.isWriting.await();
    queue.add(new byte[900]);
    queue.add(new byte[101]);
    queue.add(new byte[100]);
    assertThat(queue.dropped()).isOne();
    output.mayWrite.countDown();
  }

  @Test
  void linesThatTheOutputRejectsAreCounted() throws Exception {
    LineQueue queue = queue(100, Long.MAX_VALUE);
    output.rejects = true;
    output.mayWrite.countDown();
    add(queue, 1);
    assertThat(queue.flush(TIMEOUT)).isTrue();
    assertThat(queue.dropped()).isOne();
    output.rejects = false;
    add(queue, 2);
    assertThat(queue.flush(TIMEOUT)).isTrue();
    assertThat(output.lines()).containsExactly("2");
  }

  @Test
  void aLoggerDoesNotWaitForItsOutput() throws Exception {
    LineQueue queue = queue(100, Long.MAX_VALUE);
    LoggerContext context = new LoggerContext();
    PatternLayoutEncoder line = new PatternLayoutEncoder();
    line.setPattern("%level %logger{0} - %msg %kvp%n");
    line.setContext(context);
    line.start();
    QueuedAppender appender = new QueuedAppender(queue);
    appender.setContext(context);
    appender.setEncoder(line);
    appender.start();
    Logger logger = context.getLogger("io.quorate.Test");
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
    for (int i = 0; i < 1000; i++) {
      logger.atInfo().addKeyValue("number", i).log("A line");
    }
    assertThat(queue.dropped()).isBetween(899L, 900L);
    output.mayWrite.countDown();
    assertThat(queue.flush(TIMEOUT)).isTrue();
    assertThat(output.lines().get(0)).isEqualTo("INFO Test - A line number=\"0\"");
  }
}
