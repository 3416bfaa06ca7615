from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union






T = TypeVar("T", bound="TriggerBatchResponseResultsItem")



@_attrs_define
class TriggerBatchResponseResultsItem:
    """ 
        Attributes:
            status_code (int): The status that the single call would have
            message (Union[list[str], str]): The message that the single call would have; for 422 one string per fault
            event_id (Union[Unset, str]): Belfry's id of the event; with 200 only
            replayed (Union[Unset, bool]): Whether the answer is that of an earlier event; only with 200
            success (Union[Unset, bool]): true; with 200 only
            error (Union[Unset, str]): Name of the status; absent with 200
            retry_after (Union[Unset, int]): Seconds to wait; only with 429
            warnings (Union[Unset, list[str]]): Likely mistakes in the request: an ignored field whose name is similar to a
                missing one, or an event type without a template. Absent if there are none
     """

    status_code: int
    message: Union[list[str], str]
    event_id: Union[Unset, str] = UNSET
    replayed: Union[Unset, bool] = UNSET
    success: Union[Unset, bool] = UNSET
    error: Union[Unset, str] = UNSET
    retry_after: Union[Unset, int] = UNSET
    warnings: Union[Unset, list[str]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        status_code = self.status_code

        message: Union[list[str], str]
        if isinstance(self.message, list):
            message = self.message


        else:
            message = self.message

        event_id = self.event_id

        replayed = self.replayed

        success = self.success

        error = self.error

        retry_after = self.retry_after

        warnings: Union[Unset, list[str]] = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = self.warnings




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "statusCode": status_code,
            "message": message,
        })
        if event_id is not UNSET:
            field_dict["eventId"] = event_id
        if replayed is not UNSET:
            field_dict["replayed"] = replayed
        if success is not UNSET:
            field_dict["success"] = success
        if error is not UNSET:
            field_dict["error"] = error
        if retry_after is not UNSET:
            field_dict["retryAfter"] = retry_after
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status_code = d.pop("statusCode")

        def _parse_message(data: object) -> Union[list[str], str]:
            try:
                if not isinstance(data, list):
                    raise TypeError()
                message_type_1 = cast(list[str], data)

                return message_type_1
            except: # noqa: E722
                pass
            return cast(Union[list[str], str], data)

        message = _parse_message(d.pop("message"))


        event_id = d.pop("eventId", UNSET)

        replayed = d.pop("replayed", UNSET)

        success = d.pop("success", UNSET)

        error = d.pop("error", UNSET)

        retry_after = d.pop("retryAfter", UNSET)

        warnings = cast(list[str], d.pop("warnings", UNSET))


        trigger_batch_response_results_item = cls(
            status_code=status_code,
            message=message,
            event_id=event_id,
            replayed=replayed,
            success=success,
            error=error,
            retry_after=retry_after,
            warnings=warnings,
        )


        trigger_batch_response_results_item.additional_properties = d
        return trigger_batch_response_results_item

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
