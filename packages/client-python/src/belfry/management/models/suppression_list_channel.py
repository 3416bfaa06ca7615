from typing import Literal, cast

SuppressionListChannel = Literal['CHAT', 'EMAIL', 'SMS']

SUPPRESSION_LIST_CHANNEL_VALUES: set[SuppressionListChannel] = { 'CHAT', 'EMAIL', 'SMS',  }

def check_suppression_list_channel(value: str) -> SuppressionListChannel:
    if value in SUPPRESSION_LIST_CHANNEL_VALUES:
        return cast(SuppressionListChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUPPRESSION_LIST_CHANNEL_VALUES!r}")
