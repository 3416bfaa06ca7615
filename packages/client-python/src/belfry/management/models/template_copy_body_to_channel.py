from typing import Literal, cast

TemplateCopyBodyToChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_COPY_BODY_TO_CHANNEL_VALUES: set[TemplateCopyBodyToChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_copy_body_to_channel(value: str) -> TemplateCopyBodyToChannel:
    if value in TEMPLATE_COPY_BODY_TO_CHANNEL_VALUES:
        return cast(TemplateCopyBodyToChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_COPY_BODY_TO_CHANNEL_VALUES!r}")
