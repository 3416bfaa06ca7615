from typing import Literal, cast

DeadReplayBodyChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'SMS']

DEAD_REPLAY_BODY_CHANNEL_VALUES: set[DeadReplayBodyChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'SMS',  }

def check_dead_replay_body_channel(value: str) -> DeadReplayBodyChannel:
    if value in DEAD_REPLAY_BODY_CHANNEL_VALUES:
        return cast(DeadReplayBodyChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEAD_REPLAY_BODY_CHANNEL_VALUES!r}")
