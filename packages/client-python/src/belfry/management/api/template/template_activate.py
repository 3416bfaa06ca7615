from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_activate_answer import TemplateActivateAnswer
from ...models.template_activate_channel import check_template_activate_channel
from ...models.template_activate_channel import TemplateActivateChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_activate(event_type: str, channel: TemplateActivateChannel, *, idempotency_key: Optional[str] = None) -> Call[TemplateActivateAnswer]:
    """Use it for events from now on

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/activate", event_type=event_type, channel=channel),
        lambda response: TemplateActivateAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
