from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_deactivate_answer import TemplateDeactivateAnswer
from ...models.template_deactivate_channel import check_template_deactivate_channel
from ...models.template_deactivate_channel import TemplateDeactivateChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_deactivate(event_type: str, channel: TemplateDeactivateChannel, *, idempotency_key: Optional[str] = None) -> Call[TemplateDeactivateAnswer]:
    """Ignore it when events are dispatched

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/deactivate", event_type=event_type, channel=channel),
        lambda response: TemplateDeactivateAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
