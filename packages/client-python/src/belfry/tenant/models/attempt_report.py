from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="AttemptReport")



@_attrs_define
class AttemptReport:
    """ 
        Attributes:
            number (int): Number of the attempt, from 1
            provider (str): Kind of the provider, such as sendgrid
            started_at (datetime.datetime): When the provider was called; ISO 8601, UTC
            ended_at (Union[None, datetime.datetime]): When the provider answered; null while the call is in progress; ISO
                8601, UTC
            class_ (Union[None, str]): Result: accepted, permanent, policy, credentials, throttled, deferred, transient or
                ambiguous; null while the call is in progress
            reason (Union[None, str]): The provider's reason in a few words
            vendor_status (Union[None, str]): The provider's own status or error code
            message_id (Union[None, str]): The provider's id of the message
            next_at (Union[None, datetime.datetime]): When it is tried again; ISO 8601, UTC
     """

    number: int
    provider: str
    started_at: datetime.datetime
    ended_at: Union[None, datetime.datetime]
    class_: Union[None, str]
    reason: Union[None, str]
    vendor_status: Union[None, str]
    message_id: Union[None, str]
    next_at: Union[None, datetime.datetime]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        number = self.number

        provider = self.provider

        started_at = self.started_at.isoformat()

        ended_at: Union[None, str]
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        class_: Union[None, str]
        class_ = self.class_

        reason: Union[None, str]
        reason = self.reason

        vendor_status: Union[None, str]
        vendor_status = self.vendor_status

        message_id: Union[None, str]
        message_id = self.message_id

        next_at: Union[None, str]
        if isinstance(self.next_at, datetime.datetime):
            next_at = self.next_at.isoformat()
        else:
            next_at = self.next_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "number": number,
            "provider": provider,
            "startedAt": started_at,
            "endedAt": ended_at,
            "class": class_,
            "reason": reason,
            "vendorStatus": vendor_status,
            "messageId": message_id,
            "nextAt": next_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        number = d.pop("number")

        provider = d.pop("provider")

        started_at = isoparse(d.pop("startedAt"))




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


        def _parse_class_(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        class_ = _parse_class_(d.pop("class"))


        def _parse_reason(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reason = _parse_reason(d.pop("reason"))


        def _parse_vendor_status(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        vendor_status = _parse_vendor_status(d.pop("vendorStatus"))


        def _parse_message_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        message_id = _parse_message_id(d.pop("messageId"))


        def _parse_next_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_at_type_0 = isoparse(data)



                return next_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        next_at = _parse_next_at(d.pop("nextAt"))


        attempt_report = cls(
            number=number,
            provider=provider,
            started_at=started_at,
            ended_at=ended_at,
            class_=class_,
            reason=reason,
            vendor_status=vendor_status,
            message_id=message_id,
            next_at=next_at,
        )


        attempt_report.additional_properties = d
        return attempt_report

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
