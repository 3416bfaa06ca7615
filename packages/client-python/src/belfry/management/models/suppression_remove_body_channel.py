from typing import Literal, cast

SuppressionRemoveBodyChannel = Literal['CHAT', 'EMAIL', 'SMS']

SUPPRESSION_REMOVE_BODY_CHANNEL_VALUES: set[SuppressionRemoveBodyChannel] = { 'CHAT', 'EMAIL', 'SMS',  }

def check_suppression_remove_body_channel(value: str) -> SuppressionRemoveBodyChannel:
    if value in SUPPRESSION_REMOVE_BODY_CHANNEL_VALUES:
        return cast(SuppressionRemoveBodyChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUPPRESSION_REMOVE_BODY_CHANNEL_VALUES!r}")
