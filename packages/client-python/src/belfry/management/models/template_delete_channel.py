from typing import Literal, cast

TemplateDeleteChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_DELETE_CHANNEL_VALUES: set[TemplateDeleteChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_delete_channel(value: str) -> TemplateDeleteChannel:
    if value in TEMPLATE_DELETE_CHANNEL_VALUES:
        return cast(TemplateDeleteChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_DELETE_CHANNEL_VALUES!r}")
