from typing import Literal, cast

TemplatePutChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_PUT_CHANNEL_VALUES: set[TemplatePutChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_put_channel(value: str) -> TemplatePutChannel:
    if value in TEMPLATE_PUT_CHANNEL_VALUES:
        return cast(TemplatePutChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_PUT_CHANNEL_VALUES!r}")
