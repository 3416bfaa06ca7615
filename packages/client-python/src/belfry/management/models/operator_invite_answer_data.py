from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="OperatorInviteAnswerData")



@_attrs_define
class OperatorInviteAnswerData:
    """ 
        Attributes:
            link (str): The link; answered this once
            email (Union[None, str]):
            role (str):
            expires_at (datetime.datetime): When the link stops working; ISO 8601, UTC
            mailed (bool): Belfry has sent the link by mail, too
     """

    link: str
    email: Union[None, str]
    role: str
    expires_at: datetime.datetime
    mailed: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        link = self.link

        email: Union[None, str]
        email = self.email

        role = self.role

        expires_at = self.expires_at.isoformat()

        mailed = self.mailed


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "link": link,
            "email": email,
            "role": role,
            "expiresAt": expires_at,
            "mailed": mailed,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        link = d.pop("link")

        def _parse_email(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        email = _parse_email(d.pop("email"))


        role = d.pop("role")

        expires_at = isoparse(d.pop("expiresAt"))




        mailed = d.pop("mailed")

        operator_invite_answer_data = cls(
            link=link,
            email=email,
            role=role,
            expires_at=expires_at,
            mailed=mailed,
        )


        operator_invite_answer_data.additional_properties = d
        return operator_invite_answer_data

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
