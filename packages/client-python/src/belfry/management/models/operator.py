from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
import datetime






T = TypeVar("T", bound="Operator")



@_attrs_define
class Operator:
    """ 
        Attributes:
            id (str):
            email (str):
            name (str):
            operator (bool):
            created_at (datetime.datetime): When the account was made; ISO 8601, UTC
            two_factor (bool): Signing in by password asks for a code
            connected (bool): An account at a sign-in provider is connected
     """

    id: str
    email: str
    name: str
    operator: bool
    created_at: datetime.datetime
    two_factor: bool
    connected: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        email = self.email

        name = self.name

        operator = self.operator

        created_at = self.created_at.isoformat()

        two_factor = self.two_factor

        connected = self.connected


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "email": email,
            "name": name,
            "operator": operator,
            "createdAt": created_at,
            "twoFactor": two_factor,
            "connected": connected,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        email = d.pop("email")

        name = d.pop("name")

        operator = d.pop("operator")

        created_at = isoparse(d.pop("createdAt"))




        two_factor = d.pop("twoFactor")

        connected = d.pop("connected")

        operator = cls(
            id=id,
            email=email,
            name=name,
            operator=operator,
            created_at=created_at,
            two_factor=two_factor,
            connected=connected,
        )


        operator.additional_properties = d
        return operator

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
