from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.template_list_answer import TemplateListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def template_list() -> Call[TemplateListAnswer]:
    """A tenant's templates, or the platform's

    Needs a key with the role manage or provision."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/templates"),
        lambda response: TemplateListAnswer.from_dict(response.json()),
        is_signed=True,
    )
