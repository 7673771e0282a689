#!/bin/sh
# Runs once, at the very first start of the database of compose.yaml: makes the role that the nodes use, which owns one database and is
# no superuser. A superuser could read files of the server and start programs there.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
\getenv password DATABASE_PASSWORD
create role tenantdesk login password :'password' nosuperuser nocreatedb nocreaterole noreplication;
create database tenantdesk owner tenantdesk;
revoke all on database tenantdesk, postgres, template1 from public;
SQL
