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
  from ..models.audit_entry_after_type_0 import AuditEntryAfterType0
  from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0





T = TypeVar("T", bound="AuditEntry")



@_attrs_define
class AuditEntry:
    """ 
        Attributes:
            id (str):
            at (datetime.datetime): When it was done; ISO 8601, UTC
            person_id (Union[None, str]):
            person (str): Name and address, or the command line's account
            address (str): The client's
            tenant_id (Union[None, str]): null: of the platform
            tenant_name (Union[None, str]): null: of the platform, or the tenant is deleted
            action (str):
            target (str): The changed object, in words
            before (Union['AuditEntryBeforeType0', None]):
            after (Union['AuditEntryAfterType0', None]):
     """

    id: str
    at: datetime.datetime
    person_id: Union[None, str]
    person: str
    address: str
    tenant_id: Union[None, str]
    tenant_name: Union[None, str]
    action: str
    target: str
    before: Union['AuditEntryBeforeType0', None]
    after: Union['AuditEntryAfterType0', None]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.audit_entry_after_type_0 import AuditEntryAfterType0
        from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0
        id = self.id

        at = self.at.isoformat()

        person_id: Union[None, str]
        person_id = self.person_id

        person = self.person

        address = self.address

        tenant_id: Union[None, str]
        tenant_id = self.tenant_id

        tenant_name: Union[None, str]
        tenant_name = self.tenant_name

        action = self.action

        target = self.target

        before: Union[None, dict[str, Any]]
        if isinstance(self.before, AuditEntryBeforeType0):
            before = self.before.to_dict()
        else:
            before = self.before

        after: Union[None, dict[str, Any]]
        if isinstance(self.after, AuditEntryAfterType0):
            after = self.after.to_dict()
        else:
            after = self.after


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "at": at,
            "personId": person_id,
            "person": person,
            "address": address,
            "tenantId": tenant_id,
            "tenantName": tenant_name,
            "action": action,
            "target": target,
            "before": before,
            "after": after,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_entry_after_type_0 import AuditEntryAfterType0
        from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0
        d = dict(src_dict)
        id = d.pop("id")

        at = isoparse(d.pop("at"))




        def _parse_person_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        person_id = _parse_person_id(d.pop("personId"))


        person = d.pop("person")

        address = d.pop("address")

        def _parse_tenant_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        tenant_id = _parse_tenant_id(d.pop("tenantId"))


        def _parse_tenant_name(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        tenant_name = _parse_tenant_name(d.pop("tenantName"))


        action = d.pop("action")

        target = d.pop("target")

        def _parse_before(data: object) -> Union['AuditEntryBeforeType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                before_type_0 = AuditEntryBeforeType0.from_dict(data)



                return before_type_0
            except: # noqa: E722
                pass
            return cast(Union['AuditEntryBeforeType0', None], data)

        before = _parse_before(d.pop("before"))


        def _parse_after(data: object) -> Union['AuditEntryAfterType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                after_type_0 = AuditEntryAfterType0.from_dict(data)



                return after_type_0
            except: # noqa: E722
                pass
            return cast(Union['AuditEntryAfterType0', None], data)

        after = _parse_after(d.pop("after"))


        audit_entry = cls(
            id=id,
            at=at,
            person_id=person_id,
            person=person,
            address=address,
            tenant_id=tenant_id,
            tenant_name=tenant_name,
            action=action,
            target=target,
            before=before,
            after=after,
        )


        audit_entry.additional_properties = d
        return audit_entry

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
