from typing import Literal, cast

BroadcastRequestChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

BROADCAST_REQUEST_CHANNELS_ITEM_VALUES: set[BroadcastRequestChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_broadcast_request_channels_item(value: str) -> BroadcastRequestChannelsItem:
    if value in BROADCAST_REQUEST_CHANNELS_ITEM_VALUES:
        return cast(BroadcastRequestChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {BROADCAST_REQUEST_CHANNELS_ITEM_VALUES!r}")
