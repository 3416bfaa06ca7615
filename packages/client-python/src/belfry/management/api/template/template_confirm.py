from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_confirm_answer import TemplateConfirmAnswer
from ...models.template_confirm_body import TemplateConfirmBody
from ...models.template_confirm_channel import check_template_confirm_channel
from ...models.template_confirm_channel import TemplateConfirmChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_confirm(event_type: str, channel: TemplateConfirmChannel, body: Union[TemplateConfirmBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[TemplateConfirmAnswer]:
    """Mark a translation as up to date with the default text

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/confirm", event_type=event_type, channel=channel),
        lambda response: TemplateConfirmAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
