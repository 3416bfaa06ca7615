from typing import Literal, cast

EventResendBodyChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

EVENT_RESEND_BODY_CHANNELS_ITEM_VALUES: set[EventResendBodyChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_event_resend_body_channels_item(value: str) -> EventResendBodyChannelsItem:
    if value in EVENT_RESEND_BODY_CHANNELS_ITEM_VALUES:
        return cast(EventResendBodyChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {EVENT_RESEND_BODY_CHANNELS_ITEM_VALUES!r}")
