"""The WSGI application, for any server that runs one; the environment configures it."""

from app.server import create_app
from app.settings import Settings

app = create_app(Settings.from_environment())
