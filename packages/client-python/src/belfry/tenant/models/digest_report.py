from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="DigestReport")



@_attrs_define
class DigestReport:
    """ 
        Attributes:
            id (str): The digest's id
            state (str): in: it is in the message; alone: it was sent separately; read or cancelled: it was left out
            others (int): How many other events the message combines
            window_ends_at (datetime.datetime): Time until which events join the digest; quiet hours may extend it; ISO
                8601, UTC
            closed_at (Union[None, datetime.datetime]): When the digest was closed; ISO 8601, UTC
     """

    id: str
    state: str
    others: int
    window_ends_at: datetime.datetime
    closed_at: Union[None, datetime.datetime]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        state = self.state

        others = self.others

        window_ends_at = self.window_ends_at.isoformat()

        closed_at: Union[None, str]
        if isinstance(self.closed_at, datetime.datetime):
            closed_at = self.closed_at.isoformat()
        else:
            closed_at = self.closed_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "state": state,
            "others": others,
            "windowEndsAt": window_ends_at,
            "closedAt": closed_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        state = d.pop("state")

        others = d.pop("others")

        window_ends_at = isoparse(d.pop("windowEndsAt"))




        def _parse_closed_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                closed_at_type_0 = isoparse(data)



                return closed_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        closed_at = _parse_closed_at(d.pop("closedAt"))


        digest_report = cls(
            id=id,
            state=state,
            others=others,
            window_ends_at=window_ends_at,
            closed_at=closed_at,
        )


        digest_report.additional_properties = d
        return digest_report

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
