# One image an app: docker build --target facade|desk|core|worker|migrate --tag answer-evaluation/TARGET:VERSION .
#
# The base is an exact version of Node LTS on Debian, because sharp's libvips and the OCR engine are built for glibc. To pin the
# digest as well, or to use a mirror:
#   --build-arg BASE=registry.example.org/node:24.21.0-bookworm-slim@sha256:…
ARG BASE=node:24.21.0-bookworm-slim
# Of the stages that build only. A base with a company's certificate authority and npm settings reaches `npm ci` and no image:
#   --build-arg BUILD_BASE=registry.example.org/node-with-our-ca:24.21.0
ARG BUILD_BASE=${BASE}

# Manifests only: a changed source file does not invalidate the layer of dependencies.
FROM ${BUILD_BASE} AS manifests
WORKDIR /all
COPY . .
RUN mkdir /manifests && find . \( -name package.json -o -name package-lock.json \) -exec cp --parents -t /manifests {} +

FROM ${BUILD_BASE} AS build
WORKDIR /src
COPY --from=manifests /manifests ./
# Without install scripts: no bundled package needs one, and a compromised package cannot run code here.
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY . .
RUN npm run --silent generate && npm run --silent bundle

# What a program needs of the base: Node, the C and C++ libraries, and the records by which scanners know their versions. No
# shell, no npm, no package manager, no setuid program.
FROM ${BASE} AS trimmed
RUN set -e; packages="libc6 libgcc-s1 libstdc++6"; mkdir -p /trimmed/etc /trimmed/usr/local/bin /trimmed/var/lib/dpkg/status.d; \
  mkdir -m 1777 /trimmed/tmp; \
  dpkg -L $packages | grep -E '^(/usr)?/lib(64)?/.*\.so' | grep -v /gconv/ | while read -r file; do \
    if [ ! -d "$file" ]; then mkdir -p "/trimmed$(dirname "$file")"; cp -a "$file" "/trimmed$file"; fi; \
  done; \
  for package in $packages; do dpkg -s "$package" > "/trimmed/var/lib/dpkg/status.d/$package"; done; \
  cp -L /etc/os-release /etc/passwd /etc/group /etc/nsswitch.conf /trimmed/etc/; \
  cp -L "$(command -v node)" /trimmed/usr/local/bin/node

# Common to all images. They start on a read-only root file system. The worker needs a writable /tmp (tmpfs or emptyDir) for page
# images.
FROM scratch AS runtime
COPY --from=trimmed /trimmed /
ENV PATH=/usr/local/bin
ENV NODE_ENV=production METRICS_HOST=0.0.0.0
WORKDIR /app
# A numeric user, so that a cluster can verify that it is not root. It owns no file.
USER 10001:10001
# Node is the first process: the programs handle SIGTERM and wait for their child processes.
ENTRYPOINT ["node", "main.js"]

FROM runtime AS migrate
COPY --from=build /src/dist/migrate ./

FROM runtime AS core
COPY --from=build /src/dist/core ./
# CORE_URL is for the provisioning CLI in the same image: docker exec CONTAINER node admin.js --help
ENV CORE_HOST=0.0.0.0 CORE_PORT=8081 CORE_URL=http://127.0.0.1:8081
EXPOSE 8081

FROM runtime AS worker
COPY --from=build /src/dist/worker ./
# Garbage waits up to 128 MB: docs/decisions/068-children-are-used-again.md
ENTRYPOINT ["node", "--initial-old-space-size=128", "main.js"]

FROM runtime AS desk
COPY --from=build /src/dist/desk ./
ENV DESK_HOST=0.0.0.0 DESK_PORT=8082
EXPOSE 8082

FROM runtime AS facade
COPY --from=build /src/dist/facade ./
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
