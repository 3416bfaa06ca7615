from typing import Literal, cast

DeadDiscardBodyClass = Literal['ambiguous', 'credentials', 'deferred', 'expired', 'message', 'permanent', 'policy', 'throttled', 'transient', 'unknown', 'untried']

DEAD_DISCARD_BODY_CLASS_VALUES: set[DeadDiscardBodyClass] = { 'ambiguous', 'credentials', 'deferred', 'expired', 'message', 'permanent', 'policy', 'throttled', 'transient', 'unknown', 'untried',  }

def check_dead_discard_body_class(value: str) -> DeadDiscardBodyClass:
    if value in DEAD_DISCARD_BODY_CLASS_VALUES:
        return cast(DeadDiscardBodyClass, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEAD_DISCARD_BODY_CLASS_VALUES!r}")
