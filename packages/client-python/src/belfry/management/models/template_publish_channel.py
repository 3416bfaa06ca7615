from typing import Literal, cast

TemplatePublishChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_PUBLISH_CHANNEL_VALUES: set[TemplatePublishChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_publish_channel(value: str) -> TemplatePublishChannel:
    if value in TEMPLATE_PUBLISH_CHANNEL_VALUES:
        return cast(TemplatePublishChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_PUBLISH_CHANNEL_VALUES!r}")
