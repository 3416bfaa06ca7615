from typing import Literal, cast

TriggerBatchRequestEventsItemChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TRIGGER_BATCH_REQUEST_EVENTS_ITEM_CHANNELS_ITEM_VALUES: set[TriggerBatchRequestEventsItemChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_trigger_batch_request_events_item_channels_item(value: str) -> TriggerBatchRequestEventsItemChannelsItem:
    if value in TRIGGER_BATCH_REQUEST_EVENTS_ITEM_CHANNELS_ITEM_VALUES:
        return cast(TriggerBatchRequestEventsItemChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TRIGGER_BATCH_REQUEST_EVENTS_ITEM_CHANNELS_ITEM_VALUES!r}")
