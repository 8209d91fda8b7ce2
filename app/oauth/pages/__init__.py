"""The pages of OAuth: connecting a client, and signing in with an OpenID provider."""

from flask import Flask

from app.console.additions import Pages
from app.oauth.pages import connecting, signing_in
from app.settings import Settings


def install(app: Flask, settings: Settings) -> None:
    """Serves the authorization endpoint, and sets the OpenID provider up, where the settings have them."""
    signing_in.install(app, settings)
    if "oauth" in app.extensions:
        app.register_blueprint(connecting.authorization)


PAGES = Pages(
    "oauth",
    blueprints=(connecting.pages,),
    open_blueprints=(signing_in.pages,),
    install=install,
    templates={"above the sign-in": "oauth/asks.html", "sign in": "oauth/sign_in.html"},
)
