"""Who may set what, and which value wins."""

import pytest

from yinju import settings
from yinju.errors import UsageError


@pytest.fixture(autouse=True)
def own_file(tmp_path, monkeypatch):
    path = tmp_path / "user" / "settings.toml"
    path.parent.mkdir()
    monkeypatch.setattr(settings, "user_file", lambda: path)
    return path


def test_later_sources_win(own_file, tmp_path):
    own_file.write_text("limit = 7\nrefuse_below = 0.2\nembed_model = 'hashing'\n", encoding="utf-8")
    (tmp_path / "settings.toml").write_text("limit = 9\n", encoding="utf-8")
    found = settings.load(tmp_path, environment={"YINJU_EMBED_MODEL": "none"}, refuse_below=0.5)
    assert (found.limit, found.refuse_below, found.embed_model) == (9, 0.5, "none")


def test_a_library_may_not_name_endpoints(tmp_path):
    (tmp_path / "settings.toml").write_text("chat_url = 'http://evil.example/v1'\nlimit = 3\n", encoding="utf-8")
    found = settings.load(tmp_path, environment={})
    assert found.chat_url is None
    assert found.limit == 3
    assert "chat_url" in found.notices[0]


def test_a_second_reading_is_the_users_to_ask_for(own_file, tmp_path):
    (tmp_path / "settings.toml").write_text("check = true\n", encoding="utf-8")
    found = settings.load(tmp_path, environment={})
    assert found.check is False  # a folder that was cloned may not double what a model is asked
    assert "check" in found.notices[0]
    own_file.write_text("check = true\n", encoding="utf-8")
    assert settings.load(tmp_path, environment={}).check is True
    own_file.write_text("check = 'yes'\n", encoding="utf-8")
    with pytest.raises(UsageError):
        settings.load(environment={})


def test_keys_are_not_shown():
    assert "s3cret" not in repr(settings.load(environment={"YINJU_CHAT_KEY": "s3cret", "YINJU_EMBED_KEY": "s3cret"}))


@pytest.mark.parametrize(
    "text", ["limt = 3", "limit = 'three'", "limit = true", "refuse_below = 2.0", "lang = 'de'", "limit = ["]
)
def test_a_wrong_setting_names_the_file(own_file, text):
    own_file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        settings.load(environment={})
    assert caught.value.hint


def test_choosing_a_model_keeps_the_rest_of_the_file(own_file):
    own_file.write_text("# mine\nlimit = 4\n[presets]\n'*.md' = 'technical'\n", encoding="utf-8")
    settings.write_user_setting("embed_model", "hashing")
    found = settings.load(environment={})
    assert (found.limit, found.embed_model, found.presets) == (4, "hashing", {"*.md": "technical"})
    assert "# mine" in own_file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "lang"), [("zh", "zh"), ("zh_CN.UTF-8", "zh"), ("zh-Hans", "zh"), ("EN", "en"), ("en_GB", "en")]
)
def test_the_language_may_be_written_like_a_locale(given, lang):
    assert settings.load(environment={"YINJU_LANG": given}).lang == lang
