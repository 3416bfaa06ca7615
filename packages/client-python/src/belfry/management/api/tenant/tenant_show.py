from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_show_answer import TenantShowAnswer
from typing import cast


def tenant_show(id: str, ) -> Call[TenantShowAnswer]:
    """One tenant with its live API keys (their prefixes and names)

    Needs a platform key."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/tenants/{id}", id=id),
        lambda response: TenantShowAnswer.from_dict(response.json()),
    )
