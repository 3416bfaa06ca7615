from typing import Literal, cast

TemplatePreviewBodyFormat = Literal['html', 'markdown', 'mjml', 'text']

TEMPLATE_PREVIEW_BODY_FORMAT_VALUES: set[TemplatePreviewBodyFormat] = { 'html', 'markdown', 'mjml', 'text',  }

def check_template_preview_body_format(value: str) -> TemplatePreviewBodyFormat:
    if value in TEMPLATE_PREVIEW_BODY_FORMAT_VALUES:
        return cast(TemplatePreviewBodyFormat, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_PREVIEW_BODY_FORMAT_VALUES!r}")
