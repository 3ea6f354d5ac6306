package io.quorate.storage.read;

import io.quorate.model.Position;
import io.quorate.protocol.operation.ScanPage;

/**
 * A consistent page of a region at one position.
 *
 * @param position the page contains every change up to it, and none beyond
 */
public record ScanCut(ScanPage page, Position position) {}
