from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_create_answer import TemplateCreateAnswer
from ...models.template_create_body import TemplateCreateBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_create(body: Union[TemplateCreateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[TemplateCreateAnswer]:
    """Create drafts of an event type's templates, empty or from an example

    Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/templates"),
        lambda response: TemplateCreateAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
