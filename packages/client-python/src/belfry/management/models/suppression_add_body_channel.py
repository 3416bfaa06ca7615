from typing import Literal, cast

SuppressionAddBodyChannel = Literal['CHAT', 'EMAIL', 'SMS']

SUPPRESSION_ADD_BODY_CHANNEL_VALUES: set[SuppressionAddBodyChannel] = { 'CHAT', 'EMAIL', 'SMS',  }

def check_suppression_add_body_channel(value: str) -> SuppressionAddBodyChannel:
    if value in SUPPRESSION_ADD_BODY_CHANNEL_VALUES:
        return cast(SuppressionAddBodyChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUPPRESSION_ADD_BODY_CHANNEL_VALUES!r}")
