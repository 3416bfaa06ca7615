from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime

if TYPE_CHECKING:
  from ..models.tenant_show_deletion_answer_data_deleted import TenantShowDeletionAnswerDataDeleted





T = TypeVar("T", bound="TenantShowDeletionAnswerData")



@_attrs_define
class TenantShowDeletionAnswerData:
    """ 
        Attributes:
            tenant_id (str):
            name (str):
            person (str): The person who requested it
            requested_at (datetime.datetime): When it was requested; ISO 8601, UTC
            started_at (Union[None, datetime.datetime]): When it began; ISO 8601, UTC
            ended_at (Union[None, datetime.datetime]): When everything was deleted; ISO 8601, UTC
            deleted (TenantShowDeletionAnswerDataDeleted): So far
     """

    tenant_id: str
    name: str
    person: str
    requested_at: datetime.datetime
    started_at: Union[None, datetime.datetime]
    ended_at: Union[None, datetime.datetime]
    deleted: 'TenantShowDeletionAnswerDataDeleted'
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_show_deletion_answer_data_deleted import TenantShowDeletionAnswerDataDeleted
        tenant_id = self.tenant_id

        name = self.name

        person = self.person

        requested_at = self.requested_at.isoformat()

        started_at: Union[None, str]
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        ended_at: Union[None, str]
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        deleted = self.deleted.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "name": name,
            "person": person,
            "requestedAt": requested_at,
            "startedAt": started_at,
            "endedAt": ended_at,
            "deleted": deleted,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_show_deletion_answer_data_deleted import TenantShowDeletionAnswerDataDeleted
        d = dict(src_dict)
        tenant_id = d.pop("tenantId")

        name = d.pop("name")

        person = d.pop("person")

        requested_at = isoparse(d.pop("requestedAt"))




        def _parse_started_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = isoparse(data)



                return started_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        started_at = _parse_started_at(d.pop("startedAt"))


        def _parse_ended_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = isoparse(data)



                return ended_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        ended_at = _parse_ended_at(d.pop("endedAt"))


        deleted = TenantShowDeletionAnswerDataDeleted.from_dict(d.pop("deleted"))




        tenant_show_deletion_answer_data = cls(
            tenant_id=tenant_id,
            name=name,
            person=person,
            requested_at=requested_at,
            started_at=started_at,
            ended_at=ended_at,
            deleted=deleted,
        )


        tenant_show_deletion_answer_data.additional_properties = d
        return tenant_show_deletion_answer_data

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
