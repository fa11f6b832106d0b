"""What became of a text on its way to the clipboard; no sentence claims more than is known."""

from __future__ import annotations

from memtui.pack.clipboard import TMUX, CopyResult, NoClipboard

_WHY_NOT = {
    NoClipboard.TOO_LARGE: "{amount} exceed what a terminal takes over SSH",
    NoClipboard.WAYLAND: "no clipboard tool worked here; on Wayland install wl-clipboard",
    NoClipboard.X11: "no clipboard tool worked here; on X11 install xclip or xsel",
    NoClipboard.UNREACHABLE: "no clipboard could be reached",
}


def copied_words(result: CopyResult) -> str:
    """Return by which route a text was copied and how much of it, after which tools kept another text."""
    said = _copied(result)
    return f"Warning: {' and '.join(result.damaged)} stored a different text. {said}" if result.damaged else said


def _copied(result: CopyResult) -> str:
    amount = f"{result.bytes:,} bytes"
    if result.why_not is not None:
        why = _WHY_NOT[result.why_not].format(amount=amount)
        if result.path is None:
            return f"Nothing was copied: {why}, and no file could be written"
        return f"Wrote {amount} to {result.path}: {why}"
    if result.route == "osc52":
        return f"Sent {amount} to your terminal (OSC 52), which cannot confirm that it accepted them"
    if result.route == TMUX.name:
        state = "verified in its buffer" if result.confirmed else "not verified"
        ways = "in tmux, its prefix and ] paste; other programs can paste it only with its set-clipboard on"
        return f"Sent {amount} to tmux ({state}): {ways}"
    if result.confirmed:
        return f"Copied {amount} with {result.route}, verified by reading back"
    return f"Sent {amount} to {result.route}, which could not be read back"
