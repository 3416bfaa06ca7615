from typing import Literal, cast

TemplateShowChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_SHOW_CHANNEL_VALUES: set[TemplateShowChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_show_channel(value: str) -> TemplateShowChannel:
    if value in TEMPLATE_SHOW_CHANNEL_VALUES:
        return cast(TemplateShowChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_SHOW_CHANNEL_VALUES!r}")
