from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_update_answer import TenantUpdateAnswer
from ...models.tenant_update_body import TenantUpdateBody
from typing import cast


def tenant_update(id: str, body: Union[TenantUpdateBody, Mapping[str, Any]], ) -> Call[TenantUpdateAnswer]:
    """Change the given settings; applies within 5 s

    What is left out stays as it is. A webhook secret takes the place of the one before at once. Needs a
    platform key."""
    
    return Call(
        "PATCH",
        path_of("/api/v1/manage/tenants/{id}", id=id),
        lambda response: TenantUpdateAnswer.from_dict(response.json()),
        body=body,
    )
