from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_show_deletion_answer import TenantShowDeletionAnswer
from typing import cast


def tenant_show_deletion(id: str, ) -> Call[TenantShowDeletionAnswer]:
    """The progress of a tenant's deletion; it can be read after the tenant is gone

    Needs a platform key."""
    
    return Call(
        "GET",
        path_of("/api/v1/manage/tenants/{id}/deletion", id=id),
        lambda response: TenantShowDeletionAnswer.from_dict(response.json()),
    )
