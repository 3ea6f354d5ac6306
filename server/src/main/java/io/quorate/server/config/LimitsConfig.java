package io.quorate.server.config;

import io.quorate.operation.Limits;

/**
 * How large requests and answers may be.
 *
 * @param operations bounds on one operation
 * @param frameBytes longest frame, after its length field
 * @param scanRows most rows in one page of a scan
 * @param scanBytes a page of a scan ends with the row that reaches this many bytes
 */
public record LimitsConfig(Limits operations, int frameBytes, int scanRows, int scanBytes) {}
