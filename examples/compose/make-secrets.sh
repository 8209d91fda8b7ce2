#!/bin/sh
# Makes those secrets of compose.yaml that are missing, in the folder `secrets` beside it.
#
# Only its owner can enter the folder. The files have to be readable for the users of the containers.
set -eu
umask 022
mkdir -p "$(dirname "$0")/../../secrets"
cd "$(dirname "$0")/../../secrets"
chmod 700 .

make_uri() {
    password=$(openssl rand -hex 24)
    # The driver ignores members that are not there.
    echo "mongodb://$1:$password@mongo1,mongo2,mongo3/?replicaSet=content&authSource=admin"
}

[ -s keyfile ] || openssl rand -base64 756 > keyfile
[ -s admin-uri ] || make_uri admin > admin-uri
[ -s mongodb-uri ] || make_uri content > mongodb-uri
