from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast, Union






T = TypeVar("T", bound="MailTenant")



@_attrs_define
class MailTenant:
    """ 
        Attributes:
            tenant_id (Union[None, str]): null: Belfry sends no mail of its own
            tenant_name (Union[None, str]):
            cause (Union[None, str]):
            fault (Union[None, str]): Why it sends nothing, in words; null if it sends
     """

    tenant_id: Union[None, str]
    tenant_name: Union[None, str]
    cause: Union[None, str]
    fault: Union[None, str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        tenant_id: Union[None, str]
        tenant_id = self.tenant_id

        tenant_name: Union[None, str]
        tenant_name = self.tenant_name

        cause: Union[None, str]
        cause = self.cause

        fault: Union[None, str]
        fault = self.fault


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "tenantName": tenant_name,
            "cause": cause,
            "fault": fault,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
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


        def _parse_cause(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        cause = _parse_cause(d.pop("cause"))


        def _parse_fault(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        fault = _parse_fault(d.pop("fault"))


        mail_tenant = cls(
            tenant_id=tenant_id,
            tenant_name=tenant_name,
            cause=cause,
            fault=fault,
        )


        mail_tenant.additional_properties = d
        return mail_tenant

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
