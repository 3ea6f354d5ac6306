package io.quorate.server.probe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FioTest {
  @Test
  void theBandwidthOfWritesIsReadFromTheOutput() {
    String output =
        """
        note: both iodepth >= 1 and synchronous I/O engine are selected
        {
          "jobs" : [
            {
              "read" : { "io_bytes" : 0, "bw_bytes" : 1, "bw" : 0 },
              "write" : {
                "io_bytes" : 1023410176,
                "bw_bytes" : 204231556,
                "bw" : 199444
              },
              "trim" : { "bw_bytes" : 2 }
            }
          ]
        }
        """;
    assertThat(Fio.bytesPerSecond(output)).hasValue(204_231_556);
    assertThat(Fio.bytesPerSecond("fio: file system does not support direct=1")).isEmpty();
  }
}
