package io.quorate.server.config;

import io.quorate.protocol.operation.Limits;

/**
 * Limits on the size of requests and responses.
 *
 * @param operations limits on one operation
 * @param frameBytes maximum size of a frame, without its length field
 * @param scanRows maximum number of rows in one page of a scan
 * @param scanBytes a page of a scan ends with the row that reaches this many bytes
 */
public record LimitsConfig(Limits operations, int frameBytes, int scanRows, int scanBytes) {}
