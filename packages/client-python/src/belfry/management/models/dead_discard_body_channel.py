from typing import Literal, cast

DeadDiscardBodyChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'SMS']

DEAD_DISCARD_BODY_CHANNEL_VALUES: set[DeadDiscardBodyChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'SMS',  }

def check_dead_discard_body_channel(value: str) -> DeadDiscardBodyChannel:
    if value in DEAD_DISCARD_BODY_CHANNEL_VALUES:
        return cast(DeadDiscardBodyChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEAD_DISCARD_BODY_CHANNEL_VALUES!r}")
