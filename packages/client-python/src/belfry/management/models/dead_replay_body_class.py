from typing import Literal, cast

DeadReplayBodyClass = Literal['ambiguous', 'credentials', 'deferred', 'expired', 'message', 'permanent', 'policy', 'throttled', 'transient', 'unknown', 'untried']

DEAD_REPLAY_BODY_CLASS_VALUES: set[DeadReplayBodyClass] = { 'ambiguous', 'credentials', 'deferred', 'expired', 'message', 'permanent', 'policy', 'throttled', 'transient', 'unknown', 'untried',  }

def check_dead_replay_body_class(value: str) -> DeadReplayBodyClass:
    if value in DEAD_REPLAY_BODY_CLASS_VALUES:
        return cast(DeadReplayBodyClass, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEAD_REPLAY_BODY_CLASS_VALUES!r}")
