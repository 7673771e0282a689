#!/bin/sh
# Runs once, when the database of compose.yaml starts for the first time. Creates the role that the nodes use. The role
# owns one database. It is not a superuser, because a superuser could read the server's files and run programs there.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
\getenv password DATABASE_PASSWORD
create role tenantdesk login password :'password' nosuperuser nocreatedb nocreaterole noreplication;
create database tenantdesk owner tenantdesk;
revoke all on database tenantdesk, postgres, template1 from public;
SQL
