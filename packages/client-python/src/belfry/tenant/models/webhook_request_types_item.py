from typing import Literal, cast

WebhookRequestTypesItem = Literal['broadcast.done', 'broadcast.progress', 'delivery.accepted', 'delivery.bounced', 'delivery.complained', 'delivery.delivered', 'delivery.expired', 'delivery.failed', 'delivery.skipped', 'delivery.unknown', 'device.added', 'device.gone', 'notification.created', 'notification.read', 'preference.changed']

WEBHOOK_REQUEST_TYPES_ITEM_VALUES: set[WebhookRequestTypesItem] = { 'broadcast.done', 'broadcast.progress', 'delivery.accepted', 'delivery.bounced', 'delivery.complained', 'delivery.delivered', 'delivery.expired', 'delivery.failed', 'delivery.skipped', 'delivery.unknown', 'device.added', 'device.gone', 'notification.created', 'notification.read', 'preference.changed',  }

def check_webhook_request_types_item(value: str) -> WebhookRequestTypesItem:
    if value in WEBHOOK_REQUEST_TYPES_ITEM_VALUES:
        return cast(WebhookRequestTypesItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {WEBHOOK_REQUEST_TYPES_ITEM_VALUES!r}")
