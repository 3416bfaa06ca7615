from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_restore_answer import TemplateRestoreAnswer
from ...models.template_restore_channel import check_template_restore_channel
from ...models.template_restore_channel import TemplateRestoreChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_restore(event_type: str, channel: TemplateRestoreChannel, version: int, *, idempotency_key: Optional[str] = None) -> Call[TemplateRestoreAnswer]:
    """Publish an older version again, in its language, as the newest

    Settings for all languages stay, and so does the active flag. Needs a key with the role manage or
    provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/versions/{version}/restore", event_type=event_type, channel=channel, version=version),
        lambda response: TemplateRestoreAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
