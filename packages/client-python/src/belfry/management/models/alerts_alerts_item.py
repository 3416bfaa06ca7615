from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="AlertsAlertsItem")



@_attrs_define
class AlertsAlertsItem:
    """ 
        Attributes:
            kind (str):
            title (str):
            when (str): When it is sent
            on (bool):
     """

    kind: str
    title: str
    when: str
    on: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        title = self.title

        when = self.when

        on = self.on


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "title": title,
            "when": when,
            "on": on,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = d.pop("kind")

        title = d.pop("title")

        when = d.pop("when")

        on = d.pop("on")

        alerts_alerts_item = cls(
            kind=kind,
            title=title,
            when=when,
            on=on,
        )


        alerts_alerts_item.additional_properties = d
        return alerts_alerts_item

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
