from typing import Literal, cast

TemplateDraftPutChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_DRAFT_PUT_CHANNEL_VALUES: set[TemplateDraftPutChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_draft_put_channel(value: str) -> TemplateDraftPutChannel:
    if value in TEMPLATE_DRAFT_PUT_CHANNEL_VALUES:
        return cast(TemplateDraftPutChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_DRAFT_PUT_CHANNEL_VALUES!r}")
