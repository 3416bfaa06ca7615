from typing import Literal, cast

DeviceRequestEnvironment = Literal['production', 'sandbox']

DEVICE_REQUEST_ENVIRONMENT_VALUES: set[DeviceRequestEnvironment] = { 'production', 'sandbox',  }

def check_device_request_environment(value: str) -> DeviceRequestEnvironment:
    if value in DEVICE_REQUEST_ENVIRONMENT_VALUES:
        return cast(DeviceRequestEnvironment, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEVICE_REQUEST_ENVIRONMENT_VALUES!r}")
