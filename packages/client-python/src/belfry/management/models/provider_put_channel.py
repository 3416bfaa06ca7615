from typing import Literal, cast

ProviderPutChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'SMS']

PROVIDER_PUT_CHANNEL_VALUES: set[ProviderPutChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'SMS',  }

def check_provider_put_channel(value: str) -> ProviderPutChannel:
    if value in PROVIDER_PUT_CHANNEL_VALUES:
        return cast(ProviderPutChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PROVIDER_PUT_CHANNEL_VALUES!r}")
