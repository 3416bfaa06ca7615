from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from typing import cast, Union

if TYPE_CHECKING:
  from ..models.erasure_response_data_deleted_type_0 import ErasureResponseDataDeletedType0





T = TypeVar("T", bound="ErasureResponseData")



@_attrs_define
class ErasureResponseData:
    """ 
        Attributes:
            id (str):
            status (str): One of a tenant runs at a time
            requested_at (str): ISO 8601, UTC
            started_at (Union[None, str]): null while it waits; ISO 8601, UTC
            ended_at (Union[None, str]): null until it is done; ISO 8601, UTC
            deleted (Union['ErasureResponseDataDeletedType0', None]): Deleted rows, by kind; null until the erasure is done
     """

    id: str
    status: str
    requested_at: str
    started_at: Union[None, str]
    ended_at: Union[None, str]
    deleted: Union['ErasureResponseDataDeletedType0', None]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.erasure_response_data_deleted_type_0 import ErasureResponseDataDeletedType0
        id = self.id

        status = self.status

        requested_at = self.requested_at

        started_at: Union[None, str]
        started_at = self.started_at

        ended_at: Union[None, str]
        ended_at = self.ended_at

        deleted: Union[None, dict[str, Any]]
        if isinstance(self.deleted, ErasureResponseDataDeletedType0):
            deleted = self.deleted.to_dict()
        else:
            deleted = self.deleted


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "status": status,
            "requestedAt": requested_at,
            "startedAt": started_at,
            "endedAt": ended_at,
            "deleted": deleted,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.erasure_response_data_deleted_type_0 import ErasureResponseDataDeletedType0
        d = dict(src_dict)
        id = d.pop("id")

        status = d.pop("status")

        requested_at = d.pop("requestedAt")

        def _parse_started_at(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        started_at = _parse_started_at(d.pop("startedAt"))


        def _parse_ended_at(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        ended_at = _parse_ended_at(d.pop("endedAt"))


        def _parse_deleted(data: object) -> Union['ErasureResponseDataDeletedType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                deleted_type_0 = ErasureResponseDataDeletedType0.from_dict(data)



                return deleted_type_0
            except: # noqa: E722
                pass
            return cast(Union['ErasureResponseDataDeletedType0', None], data)

        deleted = _parse_deleted(d.pop("deleted"))


        erasure_response_data = cls(
            id=id,
            status=status,
            requested_at=requested_at,
            started_at=started_at,
            ended_at=ended_at,
            deleted=deleted,
        )


        erasure_response_data.additional_properties = d
        return erasure_response_data

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
