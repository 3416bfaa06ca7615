from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_import_answer import TemplateImportAnswer
from ...models.template_import_body import TemplateImportBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_import(body: Union[TemplateImportBody, Mapping[str, Any]], *, dry_run: Union[Unset, bool] = UNSET, ) -> Call[TemplateImportAnswer]:
    """Publish such a directory; everything is checked first, and unchanged templates stay as they are

    A template that has no file stays as it is. All files are published together, or none. Needs a key
    with the role manage or provision."""
    params: dict[str, Any] = {}

    params["dryRun"] = dry_run


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "PUT",
        path_of("/api/v1/manage/template-files"),
        lambda response: TemplateImportAnswer.from_dict(response.json()),
        query=params,
        body=body,
        is_signed=True,
    )
