package io.quorate.storage.body;

/** Where a body is stored, with its header. */
record StoredBody(Place place, RecordHeader header) {}
