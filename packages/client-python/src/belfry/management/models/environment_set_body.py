from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast, Union
from typing import Union






T = TypeVar("T", bound="EnvironmentSetBody")



@_attrs_define
class EnvironmentSetBody:
    """ 
        Attributes:
            family (Union[None, Unset, str]): what the environments have in common
            environment (Union[None, Unset, str]): which one it is, as staging
            promotes_from (Union[None, Unset, str]): id of the tenant of the family that is promoted into it
            locked (Union[Unset, bool]): only a bundle or a promotion changes templates
     """

    family: Union[None, Unset, str] = UNSET
    environment: Union[None, Unset, str] = UNSET
    promotes_from: Union[None, Unset, str] = UNSET
    locked: Union[Unset, bool] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        family: Union[None, Unset, str]
        if isinstance(self.family, Unset):
            family = UNSET
        else:
            family = self.family

        environment: Union[None, Unset, str]
        if isinstance(self.environment, Unset):
            environment = UNSET
        else:
            environment = self.environment

        promotes_from: Union[None, Unset, str]
        if isinstance(self.promotes_from, Unset):
            promotes_from = UNSET
        else:
            promotes_from = self.promotes_from

        locked = self.locked


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if family is not UNSET:
            field_dict["family"] = family
        if environment is not UNSET:
            field_dict["environment"] = environment
        if promotes_from is not UNSET:
            field_dict["promotesFrom"] = promotes_from
        if locked is not UNSET:
            field_dict["locked"] = locked

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_family(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        family = _parse_family(d.pop("family", UNSET))


        def _parse_environment(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        environment = _parse_environment(d.pop("environment", UNSET))


        def _parse_promotes_from(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        promotes_from = _parse_promotes_from(d.pop("promotesFrom", UNSET))


        locked = d.pop("locked", UNSET)

        environment_set_body = cls(
            family=family,
            environment=environment,
            promotes_from=promotes_from,
            locked=locked,
        )


        environment_set_body.additional_properties = d
        return environment_set_body

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
