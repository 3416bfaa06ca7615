from typing import Literal, cast

TemplateCreateBodyStarter = Literal['comment-digest', 'one-time-code', 'order-on-its-way', 'password-reset', 'payment-failed', 'receipt', 'verify-address', 'welcome']

TEMPLATE_CREATE_BODY_STARTER_VALUES: set[TemplateCreateBodyStarter] = { 'comment-digest', 'one-time-code', 'order-on-its-way', 'password-reset', 'payment-failed', 'receipt', 'verify-address', 'welcome',  }

def check_template_create_body_starter(value: str) -> TemplateCreateBodyStarter:
    if value in TEMPLATE_CREATE_BODY_STARTER_VALUES:
        return cast(TemplateCreateBodyStarter, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_CREATE_BODY_STARTER_VALUES!r}")
