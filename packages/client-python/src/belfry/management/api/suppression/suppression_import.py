from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.suppression_import_answer import SuppressionImportAnswer
from ...models.suppression_import_body import SuppressionImportBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def suppression_import(body: Union[SuppressionImportBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[SuppressionImportAnswer]:
    """Suppress the addresses of a file: one per line, or a CSV column that is found by its heading; a bad
    line refuses the whole file

    The whole file is read before anything is written, a thousand addresses a transaction. After a
    failure in between, import it again. Needs a key with the role manage or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/suppressions/import"),
        lambda response: SuppressionImportAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
