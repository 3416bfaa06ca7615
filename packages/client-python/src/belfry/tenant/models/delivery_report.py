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
  from ..models.attempt_report import AttemptReport





T = TypeVar("T", bound="DeliveryReport")



@_attrs_define
class DeliveryReport:
    """ 
        Attributes:
            id (str):
            provider (Union[None, str]): Kind of the provider; null before the first attempt
            message_id (Union[None, str]): The provider's id of the message
            due_at (Union[None, datetime.datetime]): Time of the next attempt; null once the delivery has ended; ISO 8601,
                UTC
            settled_at (Union[None, datetime.datetime]): When the result was final; ISO 8601, UTC
            attempts (list['AttemptReport']):
     """

    id: str
    provider: Union[None, str]
    message_id: Union[None, str]
    due_at: Union[None, datetime.datetime]
    settled_at: Union[None, datetime.datetime]
    attempts: list['AttemptReport']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.attempt_report import AttemptReport
        id = self.id

        provider: Union[None, str]
        provider = self.provider

        message_id: Union[None, str]
        message_id = self.message_id

        due_at: Union[None, str]
        if isinstance(self.due_at, datetime.datetime):
            due_at = self.due_at.isoformat()
        else:
            due_at = self.due_at

        settled_at: Union[None, str]
        if isinstance(self.settled_at, datetime.datetime):
            settled_at = self.settled_at.isoformat()
        else:
            settled_at = self.settled_at

        attempts = []
        for attempts_item_data in self.attempts:
            attempts_item = attempts_item_data.to_dict()
            attempts.append(attempts_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "provider": provider,
            "messageId": message_id,
            "dueAt": due_at,
            "settledAt": settled_at,
            "attempts": attempts,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attempt_report import AttemptReport
        d = dict(src_dict)
        id = d.pop("id")

        def _parse_provider(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        provider = _parse_provider(d.pop("provider"))


        def _parse_message_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        message_id = _parse_message_id(d.pop("messageId"))


        def _parse_due_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                due_at_type_0 = isoparse(data)



                return due_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        due_at = _parse_due_at(d.pop("dueAt"))


        def _parse_settled_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                settled_at_type_0 = isoparse(data)



                return settled_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        settled_at = _parse_settled_at(d.pop("settledAt"))


        attempts = []
        _attempts = d.pop("attempts")
        for attempts_item_data in (_attempts):
            attempts_item = AttemptReport.from_dict(attempts_item_data)



            attempts.append(attempts_item)


        delivery_report = cls(
            id=id,
            provider=provider,
            message_id=message_id,
            due_at=due_at,
            settled_at=settled_at,
            attempts=attempts,
        )


        delivery_report.additional_properties = d
        return delivery_report

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
