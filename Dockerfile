# One node of Tenantdesk: the compiled files of the npm package, and the packages in the lock file.
# docs/guide/install.md describes how to run it.
#
# The tag moves to a new image with each patch release of Node.js 26 and Debian 13. To build from the same image each
# time, look up the current digest with `docker buildx imagetools inspect node:26-trixie-slim`, and write
# node:26-trixie-slim@sha256:… in each FROM line.

FROM node:26-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:26-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts
COPY release ./release
COPY src ./src
RUN node release/build.ts

FROM node:26-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data MALLOC_ARENA_MAX=2
RUN install --directory --owner=node --group=node --mode=700 /data && \
  ln --symbolic /app/bin/tenantdesk.js /usr/local/bin/tenantdesk
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY bin ./bin
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["tenantdesk", "serve"]
