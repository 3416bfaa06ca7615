from typing import Literal, cast

TemplateCreateBodyChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_CREATE_BODY_CHANNELS_ITEM_VALUES: set[TemplateCreateBodyChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_create_body_channels_item(value: str) -> TemplateCreateBodyChannelsItem:
    if value in TEMPLATE_CREATE_BODY_CHANNELS_ITEM_VALUES:
        return cast(TemplateCreateBodyChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_CREATE_BODY_CHANNELS_ITEM_VALUES!r}")
