from typing import Literal, cast

ProviderPutBodyOnly = Literal['new']

PROVIDER_PUT_BODY_ONLY_VALUES: set[ProviderPutBodyOnly] = { 'new',  }

def check_provider_put_body_only(value: str) -> ProviderPutBodyOnly:
    if value in PROVIDER_PUT_BODY_ONLY_VALUES:
        return cast(ProviderPutBodyOnly, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PROVIDER_PUT_BODY_ONLY_VALUES!r}")
