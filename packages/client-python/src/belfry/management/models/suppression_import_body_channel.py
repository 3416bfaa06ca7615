from typing import Literal, cast

SuppressionImportBodyChannel = Literal['CHAT', 'EMAIL', 'SMS']

SUPPRESSION_IMPORT_BODY_CHANNEL_VALUES: set[SuppressionImportBodyChannel] = { 'CHAT', 'EMAIL', 'SMS',  }

def check_suppression_import_body_channel(value: str) -> SuppressionImportBodyChannel:
    if value in SUPPRESSION_IMPORT_BODY_CHANNEL_VALUES:
        return cast(SuppressionImportBodyChannel, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SUPPRESSION_IMPORT_BODY_CHANNEL_VALUES!r}")
