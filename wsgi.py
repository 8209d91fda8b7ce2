"""The WSGI application, for any server that runs one; the environment configures it."""

from app.features import ServerSettings
from app.server import create_app

app = create_app(ServerSettings.from_environment())
