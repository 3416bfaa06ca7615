from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_request_deletion_answer import TenantRequestDeletionAnswer
from typing import cast


def tenant_request_deletion(id: str, *, typed: str, ) -> Call[TenantRequestDeletionAnswer]:
    """Deactivate a tenant at once and delete it in the background; cannot be undone

    A repeated request changes nothing. Needs a platform key."""
    params: dict[str, Any] = {}

    params["typed"] = typed


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "DELETE",
        path_of("/api/v1/manage/tenants/{id}", id=id),
        lambda response: TenantRequestDeletionAnswer.from_dict(response.json()),
        query=params,
    )
