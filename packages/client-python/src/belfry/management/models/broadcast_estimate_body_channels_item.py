from typing import Literal, cast

BroadcastEstimateBodyChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

BROADCAST_ESTIMATE_BODY_CHANNELS_ITEM_VALUES: set[BroadcastEstimateBodyChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_broadcast_estimate_body_channels_item(value: str) -> BroadcastEstimateBodyChannelsItem:
    if value in BROADCAST_ESTIMATE_BODY_CHANNELS_ITEM_VALUES:
        return cast(BroadcastEstimateBodyChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {BROADCAST_ESTIMATE_BODY_CHANNELS_ITEM_VALUES!r}")
