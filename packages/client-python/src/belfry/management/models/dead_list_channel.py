from typing import Literal, cast

DeadListChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'SMS']

DEAD_LIST_CHANNEL_VALUES: set[DeadListChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'SMS',  }

def check_dead_list_channel(value: str) -> DeadListChannel:
    if value in DEAD_LIST_CHANNEL_VALUES:
        return cast(DeadListChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEAD_LIST_CHANNEL_VALUES!r}")
