from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_copy_answer import TemplateCopyAnswer
from ...models.template_copy_body import TemplateCopyBody
from ...models.template_copy_channel import check_template_copy_channel
from ...models.template_copy_channel import TemplateCopyChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_copy(event_type: str, channel: TemplateCopyChannel, body: Union[TemplateCopyBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[TemplateCopyAnswer]:
    """Copy a template to another event type, channel or tenant, in all languages, as drafts

    What is being written where there is a draft, else what is published. Where the other template has
    drafts already nothing is changed. Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/copy", event_type=event_type, channel=channel),
        lambda response: TemplateCopyAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
