from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_preview_answer import TemplatePreviewAnswer
from ...models.template_preview_body import TemplatePreviewBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_preview(body: Union[TemplatePreviewBody, Mapping[str, Any]], ) -> Call[TemplatePreviewAnswer]:
    """Render a saved template, or with --content-file one that is not saved

    The flags of its text go with --content-file. Of a template with a digest it shows the events of
    $items in the variables, else three alike. Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/template-previews"),
        lambda response: TemplatePreviewAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
