from typing import Literal, cast

ChangePreferencesRequestPreferencesItemChannel = Literal['*', 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

CHANGE_PREFERENCES_REQUEST_PREFERENCES_ITEM_CHANNEL_VALUES: set[ChangePreferencesRequestPreferencesItemChannel] = { '*', 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_change_preferences_request_preferences_item_channel(value: str) -> ChangePreferencesRequestPreferencesItemChannel:
    if value in CHANGE_PREFERENCES_REQUEST_PREFERENCES_ITEM_CHANNEL_VALUES:
        return cast(ChangePreferencesRequestPreferencesItemChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHANGE_PREFERENCES_REQUEST_PREFERENCES_ITEM_CHANNEL_VALUES!r}")
