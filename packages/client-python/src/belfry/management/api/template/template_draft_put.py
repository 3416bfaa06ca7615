from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_draft_put_answer import TemplateDraftPutAnswer
from ...models.template_draft_put_body import TemplateDraftPutBody
from ...models.template_draft_put_channel import check_template_draft_put_channel
from ...models.template_draft_put_channel import TemplateDraftPutChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_draft_put(event_type: str, channel: TemplateDraftPutChannel, body: Union[TemplateDraftPutBody, Mapping[str, Any]], ) -> Call[TemplateDraftPutAnswer]:
    """Save as a draft, which is not in use; faults are reported when it is published

    Needs a key with the role manage or provision."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/draft", event_type=event_type, channel=channel),
        lambda response: TemplateDraftPutAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
