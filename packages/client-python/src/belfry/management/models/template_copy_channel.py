from typing import Literal, cast

TemplateCopyChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_COPY_CHANNEL_VALUES: set[TemplateCopyChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_copy_channel(value: str) -> TemplateCopyChannel:
    if value in TEMPLATE_COPY_CHANNEL_VALUES:
        return cast(TemplateCopyChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_COPY_CHANNEL_VALUES!r}")
