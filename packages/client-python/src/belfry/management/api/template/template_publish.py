from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_publish_answer import TemplatePublishAnswer
from ...models.template_publish_body import TemplatePublishBody
from ...models.template_publish_channel import check_template_publish_channel
from ...models.template_publish_channel import TemplatePublishChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_publish(event_type: str, channel: TemplatePublishChannel, body: Union[TemplatePublishBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[TemplatePublishAnswer]:
    """Publish a draft, live within 5 s; refused if another version was published since

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/publish", event_type=event_type, channel=channel),
        lambda response: TemplatePublishAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
