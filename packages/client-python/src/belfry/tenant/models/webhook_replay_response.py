from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import Union






T = TypeVar("T", bound="WebhookReplayResponse")



@_attrs_define
class WebhookReplayResponse:
    """ 
        Attributes:
            success (bool): Always true
            replayed (int): Number of messages that are sent again
            more (bool): The time range may have more messages: repeat the call with `next` as `after`
            next_ (Union[Unset, str]): Only if `more` is true
     """

    success: bool
    replayed: int
    more: bool
    next_: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        success = self.success

        replayed = self.replayed

        more = self.more

        next_ = self.next_


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "replayed": replayed,
            "more": more,
        })
        if next_ is not UNSET:
            field_dict["next"] = next_

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        success = d.pop("success")

        replayed = d.pop("replayed")

        more = d.pop("more")

        next_ = d.pop("next", UNSET)

        webhook_replay_response = cls(
            success=success,
            replayed=replayed,
            more=more,
            next_=next_,
        )


        webhook_replay_response.additional_properties = d
        return webhook_replay_response

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
