from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.suppression_import_body_channel import check_suppression_import_body_channel
from ..models.suppression_import_body_channel import SuppressionImportBodyChannel
from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="SuppressionImportBody")



@_attrs_define
class SuppressionImportBody:
    """ 
        Attributes:
            channel (SuppressionImportBodyChannel): EMAIL or SMS or CHAT
            file (str): one address a line, or a CSV
            leave_out_bad (Union[Unset, bool]): leave bad lines out, name them, and take the others
            parts (Union[Unset, int]): into how many shares the rows are divided, 1 to 100; default: 1
            part (Union[Unset, int]): the number of the share to write; each call reads the whole file; default: 1
     """

    channel: SuppressionImportBodyChannel
    file: str
    leave_out_bad: Union[Unset, bool] = UNSET
    parts: Union[Unset, int] = UNSET
    part: Union[Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        channel: str = self.channel

        file = self.file

        leave_out_bad = self.leave_out_bad

        parts = self.parts

        part = self.part


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "channel": channel,
            "file": file,
        })
        if leave_out_bad is not UNSET:
            field_dict["leaveOutBad"] = leave_out_bad
        if parts is not UNSET:
            field_dict["parts"] = parts
        if part is not UNSET:
            field_dict["part"] = part

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        channel = check_suppression_import_body_channel(d.pop("channel"))




        file = d.pop("file")

        leave_out_bad = d.pop("leaveOutBad", UNSET)

        parts = d.pop("parts", UNSET)

        part = d.pop("part", UNSET)

        suppression_import_body = cls(
            channel=channel,
            file=file,
            leave_out_bad=leave_out_bad,
            parts=parts,
            part=part,
        )


        suppression_import_body.additional_properties = d
        return suppression_import_body

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
