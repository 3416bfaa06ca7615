from typing import Literal, cast

TemplateDeactivateChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_DEACTIVATE_CHANNEL_VALUES: set[TemplateDeactivateChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_deactivate_channel(value: str) -> TemplateDeactivateChannel:
    if value in TEMPLATE_DEACTIVATE_CHANNEL_VALUES:
        return cast(TemplateDeactivateChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_DEACTIVATE_CHANNEL_VALUES!r}")
