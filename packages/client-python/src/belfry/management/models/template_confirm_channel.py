from typing import Literal, cast

TemplateConfirmChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_CONFIRM_CHANNEL_VALUES: set[TemplateConfirmChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_confirm_channel(value: str) -> TemplateConfirmChannel:
    if value in TEMPLATE_CONFIRM_CHANNEL_VALUES:
        return cast(TemplateConfirmChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_CONFIRM_CHANNEL_VALUES!r}")
