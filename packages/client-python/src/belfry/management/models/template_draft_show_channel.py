from typing import Literal, cast

TemplateDraftShowChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_DRAFT_SHOW_CHANNEL_VALUES: set[TemplateDraftShowChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_draft_show_channel(value: str) -> TemplateDraftShowChannel:
    if value in TEMPLATE_DRAFT_SHOW_CHANNEL_VALUES:
        return cast(TemplateDraftShowChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_DRAFT_SHOW_CHANNEL_VALUES!r}")
