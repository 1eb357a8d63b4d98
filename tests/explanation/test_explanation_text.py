"""Names as explanations show them."""

from polymargin.explanation.text_bars import bars, shortened


def test_long_names_keep_both_ends():
    assert shortened("short", 5) == "short"
    assert shortened("abcdefghij", 7) == "ab...ij"
    assert shortened("abcdefghij", 8) == "ab...hij"
    names = [f"how much do you agree with this statement? = {end}" for end in "ab"]
    lines = bars([(name, "", 1.0) for name in names])
    assert lines[0] != lines[1] and max(map(len, lines)) <= 80
