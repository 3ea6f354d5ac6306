package io.quorate.ratis;

import io.quorate.consensus.contract.OtherDigits;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("slow")
@ExtendWith(OtherDigits.class)
class RatisOtherDigitsTest extends RatisContractTest {}
