package io.quorate.storage.read;

import io.quorate.consensus.Position;
import io.quorate.operation.ScanPage;

/**
 * A consistent page of a region at one position.
 *
 * @param position the page contains every change up to it, and none beyond
 */
public record ScanCut(ScanPage page, Position position) {}
