from typing import Literal, cast

TemplatePreviewBodyChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_PREVIEW_BODY_CHANNEL_VALUES: set[TemplatePreviewBodyChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_preview_body_channel(value: str) -> TemplatePreviewBodyChannel:
    if value in TEMPLATE_PREVIEW_BODY_CHANNEL_VALUES:
        return cast(TemplatePreviewBodyChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_PREVIEW_BODY_CHANNEL_VALUES!r}")
