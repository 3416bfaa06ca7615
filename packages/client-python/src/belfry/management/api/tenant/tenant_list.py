from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_list_answer import TenantListAnswer
from typing import cast


def tenant_list() -> Call[TenantListAnswer]:
    """All tenants, oldest first

    Needs a platform key."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/tenants"),
        lambda response: TenantListAnswer.from_dict(response.json()),
    )
