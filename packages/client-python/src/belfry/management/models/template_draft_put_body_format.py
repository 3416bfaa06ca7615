from typing import Literal, cast

TemplateDraftPutBodyFormat = Literal['html', 'markdown', 'mjml', 'text']

TEMPLATE_DRAFT_PUT_BODY_FORMAT_VALUES: set[TemplateDraftPutBodyFormat] = { 'html', 'markdown', 'mjml', 'text',  }

def check_template_draft_put_body_format(value: str) -> TemplateDraftPutBodyFormat:
    if value in TEMPLATE_DRAFT_PUT_BODY_FORMAT_VALUES:
        return cast(TemplateDraftPutBodyFormat, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_DRAFT_PUT_BODY_FORMAT_VALUES!r}")
