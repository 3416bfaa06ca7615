from typing import Literal, cast

DeviceRequestKind = Literal['apns', 'fcm', 'webpush']

DEVICE_REQUEST_KIND_VALUES: set[DeviceRequestKind] = { 'apns', 'fcm', 'webpush',  }

def check_device_request_kind(value: str) -> DeviceRequestKind:
    if value in DEVICE_REQUEST_KIND_VALUES:
        return cast(DeviceRequestKind, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEVICE_REQUEST_KIND_VALUES!r}")
