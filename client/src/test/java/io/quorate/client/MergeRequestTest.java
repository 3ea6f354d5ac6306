package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.model.GroupId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.MergeRegionResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MergeRequestTest {
  private static final Reaction NONE_BEGINS =
      request ->
          request.respond(
              Status.OK,
              Unpooled.wrappedBuffer(
                  MergeRegionResponse.newBuilder()
                      .setRegion(1)
                      .setNoneBegins(true)
                      .build()
                      .toByteArray()));

  private FakeCluster cluster;
  private FakeNode node;
  private QuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1);
    node = ClientFixture.servingRegion0(cluster);
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  @Test
  void aKeyAtWhichNoRegionBeginsIsRefused() {
    node.next(Opcode.MERGE_REGION, NONE_BEGINS);
    assertThatThrownBy(() -> client.mergeRegion(bytes("m")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("No region begins at \"m\", which is in region 1; there is nothing to merge.");
  }

  /** The first request may have merged the region, so that none begins there any more. */
  @Test
  void aRequestThatWasRepeatedIsNotRefused() {
    node.next(Opcode.MERGE_REGION, Reaction.drop());
    node.next(Opcode.MERGE_REGION, NONE_BEGINS);
    assertThat(client.mergeRegion(bytes("m"))).isEqualTo(new GroupId(1));
    assertThat(node.count(Opcode.MERGE_REGION)).isEqualTo(2);
  }
}
