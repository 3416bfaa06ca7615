from typing import Literal, cast

TemplatePutBodyFormat = Literal['html', 'markdown', 'mjml', 'text']

TEMPLATE_PUT_BODY_FORMAT_VALUES: set[TemplatePutBodyFormat] = { 'html', 'markdown', 'mjml', 'text',  }

def check_template_put_body_format(value: str) -> TemplatePutBodyFormat:
    if value in TEMPLATE_PUT_BODY_FORMAT_VALUES:
        return cast(TemplatePutBodyFormat, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_PUT_BODY_FORMAT_VALUES!r}")
