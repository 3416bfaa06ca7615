from typing import Literal, cast

TriggerRequestChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TRIGGER_REQUEST_CHANNELS_ITEM_VALUES: set[TriggerRequestChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_trigger_request_channels_item(value: str) -> TriggerRequestChannelsItem:
    if value in TRIGGER_REQUEST_CHANNELS_ITEM_VALUES:
        return cast(TriggerRequestChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TRIGGER_REQUEST_CHANNELS_ITEM_VALUES!r}")
