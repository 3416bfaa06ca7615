from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.environment_set_answer import EnvironmentSetAnswer
from ...models.environment_set_body import EnvironmentSetBody
from typing import cast


def environment_set(tenant_id: str, body: Union[EnvironmentSetBody, Mapping[str, Any]], ) -> Call[EnvironmentSetAnswer]:
    """Make a tenant an environment of a product; fields that are left out keep their values

    Environments of one family are tenants of one product, such as staging and production. Users, keys,
    providers and limits are apart. Templates, layout and categories are promoted from one into the
    other. A locked environment refuses every other change of them. Needs a platform key."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/tenants/{tenant_id}/environment", tenant_id=tenant_id),
        lambda response: EnvironmentSetAnswer.from_dict(response.json()),
        body=body,
    )
