from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_draft_show_answer import TemplateDraftShowAnswer
from ...models.template_draft_show_channel import check_template_draft_show_channel
from ...models.template_draft_show_channel import TemplateDraftShowChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_draft_show(event_type: str, channel: TemplateDraftShowChannel, *, locale: Union[Unset, str] = UNSET, ) -> Call[TemplateDraftShowAnswer]:
    """The draft of a template, with its text

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["locale"] = locale


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/draft", event_type=event_type, channel=channel),
        lambda response: TemplateDraftShowAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
