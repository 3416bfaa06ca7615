from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast, Union






T = TypeVar("T", bound="Environment")



@_attrs_define
class Environment:
    """ 
        Attributes:
            tenant_id (str):
            name (str): The tenant's
            family (Union[None, str]):
            environment (Union[None, str]):
            promotes_from (Union[None, str]): The tenant whose templates are promoted into it
            locked (bool): Only a bundle or a promotion changes its templates
     """

    tenant_id: str
    name: str
    family: Union[None, str]
    environment: Union[None, str]
    promotes_from: Union[None, str]
    locked: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        tenant_id = self.tenant_id

        name = self.name

        family: Union[None, str]
        family = self.family

        environment: Union[None, str]
        environment = self.environment

        promotes_from: Union[None, str]
        promotes_from = self.promotes_from

        locked = self.locked


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "name": name,
            "family": family,
            "environment": environment,
            "promotesFrom": promotes_from,
            "locked": locked,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        tenant_id = d.pop("tenantId")

        name = d.pop("name")

        def _parse_family(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        family = _parse_family(d.pop("family"))


        def _parse_environment(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        environment = _parse_environment(d.pop("environment"))


        def _parse_promotes_from(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        promotes_from = _parse_promotes_from(d.pop("promotesFrom"))


        locked = d.pop("locked")

        environment = cls(
            tenant_id=tenant_id,
            name=name,
            family=family,
            environment=environment,
            promotes_from=promotes_from,
            locked=locked,
        )


        environment.additional_properties = d
        return environment

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
