from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.cancel_response_partly_item import CancelResponsePartlyItem





T = TypeVar("T", bound="CancelResponse")



@_attrs_define
class CancelResponse:
    """ 
        Attributes:
            success (bool): Always true
            cancelled (list[str]): Belfry's ids of events that have reached nobody and will reach nobody
            partly (list['CancelResponsePartlyItem']): Events that had already been sent in part; the rest was stopped
            pending (list[str]): Belfry's ids of events with an attempt in progress, which is the last one. Repeat the call
                to learn its result
            too_late (list[str]): Belfry's ids of events of which nothing could be stopped any more
            unknown (Union[Unset, list[str]]): The given eventIds that no event has; absent if all were found
            more (Union[Unset, bool]): Present and true if there are more than 1000 events; repeat the call to continue
     """

    success: bool
    cancelled: list[str]
    partly: list['CancelResponsePartlyItem']
    pending: list[str]
    too_late: list[str]
    unknown: Union[Unset, list[str]] = UNSET
    more: Union[Unset, bool] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.cancel_response_partly_item import CancelResponsePartlyItem
        success = self.success

        cancelled = self.cancelled



        partly = []
        for partly_item_data in self.partly:
            partly_item = partly_item_data.to_dict()
            partly.append(partly_item)



        pending = self.pending



        too_late = self.too_late



        unknown: Union[Unset, list[str]] = UNSET
        if not isinstance(self.unknown, Unset):
            unknown = self.unknown



        more = self.more


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "cancelled": cancelled,
            "partly": partly,
            "pending": pending,
            "tooLate": too_late,
        })
        if unknown is not UNSET:
            field_dict["unknown"] = unknown
        if more is not UNSET:
            field_dict["more"] = more

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.cancel_response_partly_item import CancelResponsePartlyItem
        d = dict(src_dict)
        success = d.pop("success")

        cancelled = cast(list[str], d.pop("cancelled"))


        partly = []
        _partly = d.pop("partly")
        for partly_item_data in (_partly):
            partly_item = CancelResponsePartlyItem.from_dict(partly_item_data)



            partly.append(partly_item)


        pending = cast(list[str], d.pop("pending"))


        too_late = cast(list[str], d.pop("tooLate"))


        unknown = cast(list[str], d.pop("unknown", UNSET))


        more = d.pop("more", UNSET)

        cancel_response = cls(
            success=success,
            cancelled=cancelled,
            partly=partly,
            pending=pending,
            too_late=too_late,
            unknown=unknown,
            more=more,
        )


        cancel_response.additional_properties = d
        return cancel_response

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
