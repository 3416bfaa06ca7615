from typing import Literal, cast

TemplateActivateChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_ACTIVATE_CHANNEL_VALUES: set[TemplateActivateChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_activate_channel(value: str) -> TemplateActivateChannel:
    if value in TEMPLATE_ACTIVATE_CHANNEL_VALUES:
        return cast(TemplateActivateChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_ACTIVATE_CHANNEL_VALUES!r}")
