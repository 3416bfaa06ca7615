from typing import Literal, cast

UserPreferenceSetChannel = Literal['*', 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

USER_PREFERENCE_SET_CHANNEL_VALUES: set[UserPreferenceSetChannel] = { '*', 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_user_preference_set_channel(value: str) -> UserPreferenceSetChannel:
    if value in USER_PREFERENCE_SET_CHANNEL_VALUES:
        return cast(UserPreferenceSetChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {USER_PREFERENCE_SET_CHANNEL_VALUES!r}")
