from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="TemplateSummaryDigestType0")



@_attrs_define
class TemplateSummaryDigestType0:
    """ combines several events into one message; null: each event is sent alone

        Attributes:
            window_seconds (Union[Unset, int]): how long events are combined into one message, in seconds
            at (Union[Unset, str]): one message at 09:00, by the recipient's clock
            days (Union[Unset, list[int]]): with --digest-at: the days on which it is sent, such as mon,thu
            key (Union[Unset, str]): events with different values of this variable are combined separately
            sliding (Union[Unset, bool]): each event restarts the window
            max_seconds (Union[Unset, int]): of a sliding window: its longest duration in seconds
            leading (Union[Unset, bool]): the first event is sent at once, the later ones together
     """

    window_seconds: Union[Unset, int] = UNSET
    at: Union[Unset, str] = UNSET
    days: Union[Unset, list[int]] = UNSET
    key: Union[Unset, str] = UNSET
    sliding: Union[Unset, bool] = UNSET
    max_seconds: Union[Unset, int] = UNSET
    leading: Union[Unset, bool] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        window_seconds = self.window_seconds

        at = self.at

        days: Union[Unset, list[int]] = UNSET
        if not isinstance(self.days, Unset):
            days = self.days



        key = self.key

        sliding = self.sliding

        max_seconds = self.max_seconds

        leading = self.leading


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if window_seconds is not UNSET:
            field_dict["windowSeconds"] = window_seconds
        if at is not UNSET:
            field_dict["at"] = at
        if days is not UNSET:
            field_dict["days"] = days
        if key is not UNSET:
            field_dict["key"] = key
        if sliding is not UNSET:
            field_dict["sliding"] = sliding
        if max_seconds is not UNSET:
            field_dict["maxSeconds"] = max_seconds
        if leading is not UNSET:
            field_dict["leading"] = leading

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        window_seconds = d.pop("windowSeconds", UNSET)

        at = d.pop("at", UNSET)

        days = cast(list[int], d.pop("days", UNSET))


        key = d.pop("key", UNSET)

        sliding = d.pop("sliding", UNSET)

        max_seconds = d.pop("maxSeconds", UNSET)

        leading = d.pop("leading", UNSET)

        template_summary_digest_type_0 = cls(
            window_seconds=window_seconds,
            at=at,
            days=days,
            key=key,
            sliding=sliding,
            max_seconds=max_seconds,
            leading=leading,
        )


        template_summary_digest_type_0.additional_properties = d
        return template_summary_digest_type_0

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
