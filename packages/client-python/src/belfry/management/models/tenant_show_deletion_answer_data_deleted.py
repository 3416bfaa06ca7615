from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import Union






T = TypeVar("T", bound="TenantShowDeletionAnswerDataDeleted")



@_attrs_define
class TenantShowDeletionAnswerDataDeleted:
    """ So far

        Attributes:
            events (Union[Unset, int]):
            deliveries (Union[Unset, int]):
            notifications (Union[Unset, int]):
            outbox_messages (Union[Unset, int]):
     """

    events: Union[Unset, int] = UNSET
    deliveries: Union[Unset, int] = UNSET
    notifications: Union[Unset, int] = UNSET
    outbox_messages: Union[Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        events = self.events

        deliveries = self.deliveries

        notifications = self.notifications

        outbox_messages = self.outbox_messages


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if events is not UNSET:
            field_dict["events"] = events
        if deliveries is not UNSET:
            field_dict["deliveries"] = deliveries
        if notifications is not UNSET:
            field_dict["notifications"] = notifications
        if outbox_messages is not UNSET:
            field_dict["outboxMessages"] = outbox_messages

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        events = d.pop("events", UNSET)

        deliveries = d.pop("deliveries", UNSET)

        notifications = d.pop("notifications", UNSET)

        outbox_messages = d.pop("outboxMessages", UNSET)

        tenant_show_deletion_answer_data_deleted = cls(
            events=events,
            deliveries=deliveries,
            notifications=notifications,
            outbox_messages=outbox_messages,
        )


        tenant_show_deletion_answer_data_deleted.additional_properties = d
        return tenant_show_deletion_answer_data_deleted

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
