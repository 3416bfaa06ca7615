from typing import Literal, cast

TemplateTestChannel = Literal['CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS']

TEMPLATE_TEST_CHANNEL_VALUES: set[TemplateTestChannel] = { 'CHAT', 'DEVICE', 'EMAIL', 'PUSH', 'SMS',  }

def check_template_test_channel(value: str) -> TemplateTestChannel:
    if value in TEMPLATE_TEST_CHANNEL_VALUES:
        return cast(TemplateTestChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_TEST_CHANNEL_VALUES!r}")
