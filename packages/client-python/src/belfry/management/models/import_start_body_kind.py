from typing import Literal, cast

ImportStartBodyKind = Literal['members', 'users']

IMPORT_START_BODY_KIND_VALUES: set[ImportStartBodyKind] = { 'members', 'users',  }

def check_import_start_body_kind(value: str) -> ImportStartBodyKind:
    if value in IMPORT_START_BODY_KIND_VALUES:
        return cast(ImportStartBodyKind, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {IMPORT_START_BODY_KIND_VALUES!r}")
