from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_versions_answer import TemplateVersionsAnswer
from ...models.template_versions_channel import check_template_versions_channel
from ...models.template_versions_channel import TemplateVersionsChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_versions(event_type: str, channel: TemplateVersionsChannel, ) -> Call[TemplateVersionsAnswer]:
    """List its published versions in all languages, newest first, without the contents

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/templates/{event_type}/{channel}/versions", event_type=event_type, channel=channel),
        lambda response: TemplateVersionsAnswer.from_dict(response.json()),
        is_signed=True,
    )
