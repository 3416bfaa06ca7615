from typing import Literal, cast

DeadListClass = Literal['ambiguous', 'credentials', 'deferred', 'expired', 'message', 'permanent', 'policy', 'throttled', 'transient', 'unknown', 'untried']

DEAD_LIST_CLASS_VALUES: set[DeadListClass] = { 'ambiguous', 'credentials', 'deferred', 'expired', 'message', 'permanent', 'policy', 'throttled', 'transient', 'unknown', 'untried',  }

def check_dead_list_class(value: str) -> DeadListClass:
    if value in DEAD_LIST_CLASS_VALUES:
        return cast(DeadListClass, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEAD_LIST_CLASS_VALUES!r}")
