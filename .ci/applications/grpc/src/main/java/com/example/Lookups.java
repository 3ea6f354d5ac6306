package com.example;

import com.google.protobuf.StringValue;
import io.grpc.CallOptions;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.quorate.client.QuorateClient;
import io.quorate.testing.EmbeddedCluster;
import java.net.InetSocketAddress;

/**
 * Serves values of Quorate over gRPC. Calls itself, says what it did, and ends. Uses the cluster at
 * QUORATE_AT, or one in its JVM.
 */
public final class Lookups {
  private static final MethodDescriptor<StringValue, StringValue> LOOKUP =
      MethodDescriptor.<StringValue, StringValue>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("example.Lookups/Lookup")
          .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
          .build();

  private Lookups() {}

  public static void main(String[] arguments) throws Exception {
    String nodes = System.getenv("QUORATE_AT");
    if (nodes != null) {
      run(nodes);
      return;
    }
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1)) {
      run(cluster.addresses());
    }
  }

  private static void run(String nodes) throws Exception {
    try (QuorateClient client = QuorateClient.connect(nodes)) {
      Server server =
          NettyServerBuilder.forAddress(
                  new InetSocketAddress("127.0.0.1", 0), InsecureServerCredentials.create())
              .addService(
                  ServerServiceDefinition.builder("example.Lookups")
                      .addMethod(
                          LOOKUP,
                          ServerCalls.asyncUnaryCall(
                              (key, response) -> {
                                response.onNext(
                                    StringValue.of(client.get(key.getValue()).orElse("nothing")));
                                response.onCompleted();
                              }))
                      .build())
              .build()
              .start();
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
      client.put("lookup", "found");
      String read =
          ClientCalls.blockingUnaryCall(
                  channel, LOOKUP, CallOptions.DEFAULT, StringValue.of("lookup"))
              .getValue();
      channel.shutdownNow();
      server.shutdownNow();
      if (!"found".equals(read)) {
        throw new IllegalStateException("Read \"" + read + "\".");
      }
      System.out.println(
          "Works with gRPC, "
              + jar(StringValue.class)
              + " and "
              + jar(io.netty.channel.Channel.class)
              + ".");
    }
  }

  private static String jar(Class<?> type) {
    String location = type.getProtectionDomain().getCodeSource().getLocation().getPath();
    return location.substring(location.lastIndexOf('/') + 1);
  }
}
