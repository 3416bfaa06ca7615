from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_export_answer import TemplateExportAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_export() -> Call[TemplateExportAnswer]:
    """Write what is published into a directory: a folder an event type, a file a language

    It contains no drafts. Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/template-files"),
        lambda response: TemplateExportAnswer.from_dict(response.json()),
        is_signed=True,
    )
