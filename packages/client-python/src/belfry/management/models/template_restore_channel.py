from typing import Literal, cast

TemplateRestoreChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_RESTORE_CHANNEL_VALUES: set[TemplateRestoreChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_restore_channel(value: str) -> TemplateRestoreChannel:
    if value in TEMPLATE_RESTORE_CHANNEL_VALUES:
        return cast(TemplateRestoreChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_RESTORE_CHANNEL_VALUES!r}")
