#!/bin/sh
# Runs once, at the first start of the database of compose.yaml. Creates the role that the nodes use. The role owns one
# database and is not a superuser: a superuser could read files of the server and start programs on it.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
\getenv password DATABASE_PASSWORD
create role tenantdesk login password :'password' nosuperuser nocreatedb nocreaterole noreplication;
create database tenantdesk owner tenantdesk;
revoke all on database tenantdesk, postgres, template1 from public;
SQL
