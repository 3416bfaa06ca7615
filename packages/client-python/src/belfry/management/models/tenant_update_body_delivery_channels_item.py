from typing import Literal, cast

TenantUpdateBodyDeliveryChannelsItem = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TENANT_UPDATE_BODY_DELIVERY_CHANNELS_ITEM_VALUES: set[TenantUpdateBodyDeliveryChannelsItem] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_tenant_update_body_delivery_channels_item(value: str) -> TenantUpdateBodyDeliveryChannelsItem:
    if value in TENANT_UPDATE_BODY_DELIVERY_CHANNELS_ITEM_VALUES:
        return cast(TenantUpdateBodyDeliveryChannelsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TENANT_UPDATE_BODY_DELIVERY_CHANNELS_ITEM_VALUES!r}")
