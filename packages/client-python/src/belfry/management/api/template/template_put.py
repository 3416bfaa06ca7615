from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_put_answer import TemplatePutAnswer
from ...models.template_put_body import TemplatePutBody
from ...models.template_put_channel import check_template_put_channel
from ...models.template_put_channel import TemplatePutChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_put(event_type: str, channel: TemplatePutChannel, body: Union[TemplatePutBody, Mapping[str, Any]], ) -> Call[TemplatePutAnswer]:
    """Check, compile and publish: live within 5 s; a new text is a new version

    Of --digest-…, --throttle and --after-unread-seconds what is left out stays; of --sensitive and the
    like a translation (--locale) changes what it names alone. Needs a key with the role manage or
    provision."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/templates/{event_type}/{channel}", event_type=event_type, channel=channel),
        lambda response: TemplatePutAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
