from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="Suppression")



@_attrs_define
class Suppression:
    """ 
        Attributes:
            channel (str):
            address (str):
            reason (str):
            source (Union[None, str]): The provider that sent the receipt, or the person who added it
            created_at (datetime.datetime): When it was added; ISO 8601, UTC
     """

    channel: str
    address: str
    reason: str
    source: Union[None, str]
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        channel = self.channel

        address = self.address

        reason = self.reason

        source: Union[None, str]
        source = self.source

        created_at = self.created_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "channel": channel,
            "address": address,
            "reason": reason,
            "source": source,
            "createdAt": created_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        channel = d.pop("channel")

        address = d.pop("address")

        reason = d.pop("reason")

        def _parse_source(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        source = _parse_source(d.pop("source"))


        created_at = isoparse(d.pop("createdAt"))




        suppression = cls(
            channel=channel,
            address=address,
            reason=reason,
            source=source,
            created_at=created_at,
        )


        suppression.additional_properties = d
        return suppression

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
