"""Routes of members."""

from app.operations import invitations, members
from app.rest.blueprint import Routes

routes = Routes("members", __name__, "The people that documents are assigned to.")

routes.serve("GET", "/members", members.list_members)
routes.serve("POST", "/members", members.create_member, location="members.getMember")
routes.serve("GET", "/members/<id>", members.get_member)
routes.serve("PATCH", "/members/<id>", members.update_member)
routes.serve("DELETE", "/members/<id>", members.delete_member)
routes.serve("GET", "/members/<id>/invitations", invitations.list_invitations)
routes.serve("POST", "/members/<id>/invitations", invitations.invite_member)
routes.serve("DELETE", "/members/<id>/invitations/<invitation_id>", invitations.withdraw_invitation)
