from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_draft_discard_answer import TemplateDraftDiscardAnswer
from ...models.template_draft_discard_channel import check_template_draft_discard_channel
from ...models.template_draft_discard_channel import TemplateDraftDiscardChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_draft_discard(event_type: str, channel: TemplateDraftDiscardChannel, *, locale: Union[Unset, str] = UNSET, revision: Union[Unset, int] = UNSET, ) -> Call[TemplateDraftDiscardAnswer]:
    """Discard the draft; prints its last text

    A template that was never published is deleted with its last draft. Needs a key with the role manage
    or provision."""
    params: dict[str, Any] = {}

    params["locale"] = locale

    params["revision"] = revision


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "DELETE",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/draft", event_type=event_type, channel=channel),
        lambda response: TemplateDraftDiscardAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
