package io.quorate.replication.erasure;

class ReedSolomonCodeTest extends ErasureCodeContract {
  @Override
  ErasureCode code(CodeShape shape) {
    return new ReedSolomonCode(shape);
  }
}
