from typing import Literal, cast

TenantCreateBodyDeliveryChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TENANT_CREATE_BODY_DELIVERY_CHANNELS_ITEM_VALUES: set[TenantCreateBodyDeliveryChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_tenant_create_body_delivery_channels_item(value: str) -> TenantCreateBodyDeliveryChannelsItem:
    if value in TENANT_CREATE_BODY_DELIVERY_CHANNELS_ITEM_VALUES:
        return cast(TenantCreateBodyDeliveryChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TENANT_CREATE_BODY_DELIVERY_CHANNELS_ITEM_VALUES!r}")
