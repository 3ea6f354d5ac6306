# One node of Quorate. Build the program first, then the image:
#   ./mvnw -DskipTests package && docker build -t quorate:0.1.0 .
# Any base will do that has Java 17 or newer, glibc and /bin/sh.
ARG BASE=eclipse-temurin:17-jre
FROM ${BASE}

# Group 0 may do what the user may, for platforms that run containers under a user id of their own.
RUN mkdir -p /var/lib/quorate && chown 10001:0 /var/lib/quorate && chmod 0770 /var/lib/quorate

COPY server/target/quorate-server.jar /opt/quorate/quorate-server.jar
COPY server/src/main/resources/io/quorate/server/server.jvm /etc/quorate/server.jvm
COPY server/src/main/docker/quorate.conf /etc/quorate/quorate.conf
COPY server/src/main/docker/entrypoint server/src/main/docker/healthcheck /opt/quorate/

# An archive of the classes that the program loads: nodes and commands start sooner with it.
RUN java -Xmx512m -XX:DumpLoadedClassList=/tmp/classes -cp /opt/quorate/quorate-server.jar \
      io.quorate.server.ClassTraining >/dev/null 2>&1; \
    java -Xmx512m -Xshare:dump -XX:SharedClassListFile=/tmp/classes \
      -XX:SharedArchiveFile=/opt/quorate/quorate-server.jsa -cp /opt/quorate/quorate-server.jar >/dev/null \
    && rm -rf /tmp/*

# RocksDB allocates on many threads; an arena for each would only cost memory.
ENV MALLOC_ARENA_MAX=2

# Arguments of the client's commands are UTF-8, whatever locale the base has.
ENV LC_ALL=C.UTF-8

USER 10001:0
VOLUME /var/lib/quorate
EXPOSE 7001 7101 7201

# The node writes its health into this file each second, which the check reads.
ENV QUORATE_HEALTH_FILE=/tmp/quorate-health
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 \
  CMD ["/bin/sh", "/opt/quorate/healthcheck"]

ENTRYPOINT ["/bin/sh", "/opt/quorate/entrypoint"]
CMD ["server", "--config", "/etc/quorate/quorate.conf"]
