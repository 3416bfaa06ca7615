from typing import Literal, cast

TemplateVersionsChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_VERSIONS_CHANNEL_VALUES: set[TemplateVersionsChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_versions_channel(value: str) -> TemplateVersionsChannel:
    if value in TEMPLATE_VERSIONS_CHANNEL_VALUES:
        return cast(TemplateVersionsChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_VERSIONS_CHANNEL_VALUES!r}")
