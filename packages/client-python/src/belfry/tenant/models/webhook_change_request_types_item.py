from typing import Literal, cast

WebhookChangeRequestTypesItem = Literal['broadcast.done', 'broadcast.progress', 'delivery.accepted', 'delivery.bounced', 'delivery.complained', 'delivery.delivered', 'delivery.expired', 'delivery.failed', 'delivery.skipped', 'delivery.unknown', 'device.added', 'device.gone', 'notification.created', 'notification.read', 'preference.changed']

WEBHOOK_CHANGE_REQUEST_TYPES_ITEM_VALUES: set[WebhookChangeRequestTypesItem] = { 'broadcast.done', 'broadcast.progress', 'delivery.accepted', 'delivery.bounced', 'delivery.complained', 'delivery.delivered', 'delivery.expired', 'delivery.failed', 'delivery.skipped', 'delivery.unknown', 'device.added', 'device.gone', 'notification.created', 'notification.read', 'preference.changed',  }

def check_webhook_change_request_types_item(value: str) -> WebhookChangeRequestTypesItem:
    if value in WEBHOOK_CHANGE_REQUEST_TYPES_ITEM_VALUES:
        return cast(WebhookChangeRequestTypesItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {WEBHOOK_CHANGE_REQUEST_TYPES_ITEM_VALUES!r}")
