from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="CancelRequest")



@_attrs_define
class CancelRequest:
    """ Either cancelKeys or eventIds

        Attributes:
            cancel_keys (Union[Unset, list[str]]): Values of cancelKey, which select all events that have them
            event_ids (Union[Unset, list[str]]): Belfry's ids of events, or your own eventIds, which select all events that
                have them, at most 10000
            user_ids (Union[Unset, list[str]]): Only events of these users; default: of all users
     """

    cancel_keys: Union[Unset, list[str]] = UNSET
    event_ids: Union[Unset, list[str]] = UNSET
    user_ids: Union[Unset, list[str]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        cancel_keys: Union[Unset, list[str]] = UNSET
        if not isinstance(self.cancel_keys, Unset):
            cancel_keys = self.cancel_keys



        event_ids: Union[Unset, list[str]] = UNSET
        if not isinstance(self.event_ids, Unset):
            event_ids = self.event_ids



        user_ids: Union[Unset, list[str]] = UNSET
        if not isinstance(self.user_ids, Unset):
            user_ids = self.user_ids




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if cancel_keys is not UNSET:
            field_dict["cancelKeys"] = cancel_keys
        if event_ids is not UNSET:
            field_dict["eventIds"] = event_ids
        if user_ids is not UNSET:
            field_dict["userIds"] = user_ids

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        cancel_keys = cast(list[str], d.pop("cancelKeys", UNSET))


        event_ids = cast(list[str], d.pop("eventIds", UNSET))


        user_ids = cast(list[str], d.pop("userIds", UNSET))


        cancel_request = cls(
            cancel_keys=cancel_keys,
            event_ids=event_ids,
            user_ids=user_ids,
        )


        cancel_request.additional_properties = d
        return cancel_request

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
