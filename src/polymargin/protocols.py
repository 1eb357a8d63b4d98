"""How machines are compared; see `polymargin.selection.protocols`."""

from .selection.protocols import PROTOCOLS, Protocol, find_protocol, powers_of_two

__all__ = ["PROTOCOLS", "Protocol", "find_protocol", "powers_of_two"]
