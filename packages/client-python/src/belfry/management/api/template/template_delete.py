from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_delete_answer import TemplateDeleteAnswer
from ...models.template_delete_channel import check_template_delete_channel
from ...models.template_delete_channel import TemplateDeleteChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_delete(event_type: str, channel: TemplateDeleteChannel, *, locale: Union[Unset, str] = UNSET, ) -> Call[TemplateDeleteAnswer]:
    """Delete a template with all its versions; prints the deleted template

    What was sent with them can no longer be shown. Of a translation the versions stay, and its
    recipients get the default variant. Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["locale"] = locale


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "DELETE",
        path_of("/api/v1/manage/templates/{event_type}/{channel}", event_type=event_type, channel=channel),
        lambda response: TemplateDeleteAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
