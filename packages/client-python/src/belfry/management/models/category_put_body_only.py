from typing import Literal, cast

CategoryPutBodyOnly = Literal['known', 'new']

CATEGORY_PUT_BODY_ONLY_VALUES: set[CategoryPutBodyOnly] = { 'known', 'new',  }

def check_category_put_body_only(value: str) -> CategoryPutBodyOnly:
    if value in CATEGORY_PUT_BODY_ONLY_VALUES:
        return cast(CategoryPutBodyOnly, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CATEGORY_PUT_BODY_ONLY_VALUES!r}")
