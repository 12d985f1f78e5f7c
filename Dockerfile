# One image an app: docker build --target facade|core|worker|migrate --tag answer-evaluation/TARGET:VERSION .
#
# The base is the Node LTS line of this repository on Debian (glibc, which sharp's libvips and the OCR engine are built
# for), by its exact version. To pin the bytes too, or to take it from a mirror:
#   --build-arg BASE=registry.example.org/node:24.21.0-bookworm-slim@sha256:…
ARG BASE=node:24.21.0-bookworm-slim

# The manifests alone: the layer of dependencies is made anew when one of them changes, and not with every source file.
FROM ${BASE} AS manifests
WORKDIR /all
COPY . .
RUN mkdir /manifests && find . \( -name package.json -o -name package-lock.json \) -exec cp --parents -t /manifests {} +

FROM ${BASE} AS build
WORKDIR /src
COPY --from=manifests /manifests ./
# No install scripts: nothing that is bundled needs one, and what is fetched cannot run anything here.
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY . .
RUN npm run --silent generate && npm run --silent bundle

# What the images have in common. They need no shell, no npm and no network to start; a read-only root file system is
# fine, and the worker wants a writable /tmp (tmpfs or emptyDir) for the pages in hand.
FROM ${BASE} AS runtime
ENV NODE_ENV=production METRICS_HOST=0.0.0.0
WORKDIR /app
# A number, so that a cluster can see that it is not root's. It owns nothing, not even the program.
USER 10001:10001
# Node is the first process: the programs handle SIGTERM themselves and wait for their own children.
ENTRYPOINT ["node", "main.js"]

FROM runtime AS migrate
COPY --from=build /src/dist/migrate ./

FROM runtime AS core
COPY --from=build /src/dist/core ./
# CORE_URL is for the provisioning CLI beside it: docker exec CONTAINER node admin.js --help
ENV CORE_HOST=0.0.0.0 CORE_PORT=8081 CORE_URL=http://127.0.0.1:8081
EXPOSE 8081

FROM runtime AS worker
COPY --from=build /src/dist/worker ./

FROM runtime AS facade
COPY --from=build /src/dist/facade ./
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
