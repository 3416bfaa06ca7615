from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_test_answer import TemplateTestAnswer
from ...models.template_test_body import TemplateTestBody
from ...models.template_test_channel import check_template_test_channel
from ...models.template_test_channel import TemplateTestChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_test(event_type: str, channel: TemplateTestChannel, body: Union[TemplateTestBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[TemplateTestAnswer]:
    """Send a published template to one person, as a test: through the provider that would send it, or into
    an inbox. It counts towards the tenant's limits, and few are allowed in 15 minutes

    With content, this text is sent instead of what is published. Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/test", event_type=event_type, channel=channel),
        lambda response: TemplateTestAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
