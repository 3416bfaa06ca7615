from typing import Literal, cast

TemplateTestBodyFormat = Literal['html', 'markdown', 'mjml', 'text']

TEMPLATE_TEST_BODY_FORMAT_VALUES: set[TemplateTestBodyFormat] = { 'html', 'markdown', 'mjml', 'text',  }

def check_template_test_body_format(value: str) -> TemplateTestBodyFormat:
    if value in TEMPLATE_TEST_BODY_FORMAT_VALUES:
        return cast(TemplateTestBodyFormat, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATE_TEST_BODY_FORMAT_VALUES!r}")
