package io.quorate.rabia.engine;

import io.quorate.consensus.contract.OtherDigits;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OtherDigits.class)
class RabiaOtherDigitsTest extends RabiaContractTest {}
