from typing import Literal, cast

TemplateDraftDiscardChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_DRAFT_DISCARD_CHANNEL_VALUES: set[TemplateDraftDiscardChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_draft_discard_channel(value: str) -> TemplateDraftDiscardChannel:
    if value in TEMPLATE_DRAFT_DISCARD_CHANNEL_VALUES:
        return cast(TemplateDraftDiscardChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_DRAFT_DISCARD_CHANNEL_VALUES!r}")
