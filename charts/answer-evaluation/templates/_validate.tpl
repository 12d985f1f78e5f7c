{{/*
Refuses combinations of values that cannot work, before anything is rendered. Reports all of them at once, each with what to do. The
bounds of single values are in values.schema.json.
*/}}
{{- define "answer-evaluation.validate" -}}
{{- $v := .Values -}}
{{- $wrong := list -}}

{{- $fullname := include "answer-evaluation.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $fullname) -}}
{{- $wrong = append $wrong (printf "%q cannot be the name of a Service, which begins with a letter and has lower-case letters, digits and hyphens. Set fullnameOverride, e.g. fullnameOverride=evaluation." $fullname) -}}
{{- end -}}
{{- if not $v.image.registry -}}
{{- $wrong = append $wrong "image.registry is empty. The images are built from this repository's Dockerfile and published nowhere: push them to your registry and name it, e.g. image.registry=registry.example.org/exams. For images loaded into kind or minikube it is docker.io." -}}
{{- end -}}
{{- if eq (include "answer-evaluation.tag" .) "latest" -}}
{{- $wrong = append $wrong "image.tag=latest is refused: pods would run whatever was pushed last, and an upgrade or a roll-back would do nothing. Name a version, or leave it empty for this chart's own." -}}
{{- end -}}
{{- range list "postgresql" "nats" "s3" -}}
{{- $image := (index $v.embedded .).image -}}
{{- if and $v.embedded.enabled (or (hasSuffix ":latest" $image) (not (regexMatch "(:[^/]+|@sha256:[0-9a-f]{64})$" $image))) -}}
{{- $wrong = append $wrong (printf "embedded.%s.image=%s names no version. Add a tag other than latest, or a digest." . $image) -}}
{{- end -}}
{{- end -}}

{{- /* Secrets: one source each. */ -}}
{{- $tokens := dict "corePublicToken" $v.secrets.corePublicToken "coreGradingToken" $v.secrets.coreGradingToken "coreControlToken" $v.secrets.coreControlToken "actorSigningKey" $v.secrets.actorSigningKey -}}
{{- $given := list -}}{{- $missing := list -}}
{{- range $name, $value := $tokens -}}
{{- if $value }}{{ $given = append $given (printf "secrets.%s" $name) }}{{ else }}{{ $missing = append $missing (printf "secrets.%s" $name) }}{{ end -}}
{{- end -}}
{{- if and $v.secrets.existingSecret $given -}}
{{- $wrong = append $wrong (printf "secrets.existingSecret and %s are both set, and only one can count. Remove the values: the existing Secret is the one to trust." (join ", " $given)) -}}
{{- else if and $v.secrets.existingSecret $v.secrets.generate -}}
{{- $wrong = append $wrong "secrets.existingSecret and secrets.generate are both set. Remove secrets.generate: there is nothing to generate." -}}
{{- else if and (not $v.secrets.existingSecret) $missing (not $v.secrets.generate) -}}
{{- $wrong = append $wrong (printf "there are no service tokens: %s. Name your own Secret in secrets.existingSecret, with the keys CORE_PUBLIC_TOKEN, CORE_GRADING_TOKEN, CORE_CONTROL_TOKEN and ACTOR_SIGNING_KEY; or, with helm install and upgrade, set secrets.generate=true and they are made once and kept." (join ", " $missing)) -}}
{{- end -}}
{{- $generates := or (and $v.secrets.generate $missing) $v.embedded.enabled -}}
{{- if and $generates (not $v.secrets.allowUnkept) (not (.Capabilities.APIVersions.Has "v1/Secret")) -}}
{{- $wrong = append $wrong "secrets cannot be generated here: helm template sees no cluster, so each rendering would have other secrets, and running pods would be refused. Use helm install, or existing Secrets (secrets.existingSecret, and no embedded services). Just to look at the output, set secrets.allowUnkept=true." -}}
{{- end -}}

{{- /* The three services. */ -}}
{{- if $v.embedded.enabled -}}
{{- $external := list -}}
{{- if or $v.database.url $v.database.existingSecret $v.database.migrate.url $v.database.migrate.existingSecret }}{{ $external = append $external "database" }}{{ end -}}
{{- if or $v.nats.url $v.nats.existingSecret }}{{ $external = append $external "nats" }}{{ end -}}
{{- if or $v.s3.endpoint $v.s3.existingSecret $v.s3.accessKeyId $v.s3.secretAccessKey }}{{ $external = append $external "s3" }}{{ end -}}
{{- if $external -}}
{{- $wrong = append $wrong (printf "embedded.enabled=true brings PostgreSQL, NATS and S3, and values for your own are set too (%s). Remove those, or set embedded.enabled=false." (join ", " $external)) -}}
{{- end -}}
{{- else -}}
{{- if not (or $v.database.url $v.database.existingSecret) -}}
{{- $wrong = append $wrong "there is no database: set database.existingSecret (a Secret with the key DATABASE_URL) or database.url, or, for a trial, embedded.enabled=true." -}}
{{- else if and $v.database.url $v.database.existingSecret -}}
{{- $wrong = append $wrong "database.url and database.existingSecret are both set, and only one can count. Remove database.url: the existing Secret is the one to trust." -}}
{{- end -}}
{{- if and $v.database.migrate.url $v.database.migrate.existingSecret -}}
{{- $wrong = append $wrong "database.migrate.url and database.migrate.existingSecret are both set, and only one can count. Remove database.migrate.url: the existing Secret is the one to trust." -}}
{{- end -}}
{{- if and (or $v.database.migrate.url $v.database.migrate.existingSecret) (not $v.migrations.coreDatabaseRole) (ne $v.migrations.mode "none") -}}
{{- $wrong = append $wrong "database.migrate gives the migrations credentials of their own, and migrations.coreDatabaseRole is empty: core's role would be granted nothing, and core would wait for ever. Name the role that core connects as, the user in its DATABASE_URL; also where both are the same role." -}}
{{- end -}}
{{- if not (or $v.nats.url $v.nats.existingSecret) -}}
{{- $wrong = append $wrong "there is no NATS: set nats.url, or nats.existingSecret (a Secret with the key NATS_URL), or, for a trial, embedded.enabled=true." -}}
{{- else if and $v.nats.url $v.nats.existingSecret -}}
{{- $wrong = append $wrong "nats.url and nats.existingSecret are both set, and only one can count. Remove nats.url: the existing Secret is the one to trust." -}}
{{- end -}}
{{- if not $v.s3.endpoint -}}
{{- $wrong = append $wrong "there is no object store: set s3.endpoint, e.g. https://s3.eu-central-1.amazonaws.com, or, for a trial, embedded.enabled=true." -}}
{{- end -}}
{{- if and $v.s3.podIdentity (or $v.s3.existingSecret $v.s3.accessKeyId $v.s3.secretAccessKey) -}}
{{- $wrong = append $wrong "s3.podIdentity=true takes the credentials from the pod's identity, and credentials are set too. Remove s3.existingSecret, s3.accessKeyId and s3.secretAccessKey, or set s3.podIdentity=false." -}}
{{- else if $v.s3.podIdentity -}}
{{- else if and $v.s3.existingSecret (or $v.s3.accessKeyId $v.s3.secretAccessKey) -}}
{{- $wrong = append $wrong "s3.existingSecret and s3.accessKeyId or s3.secretAccessKey are both set, and only one can count. Remove the values: the existing Secret is the one to trust." -}}
{{- else if and (not $v.s3.existingSecret) (not (and $v.s3.accessKeyId $v.s3.secretAccessKey)) -}}
{{- $wrong = append $wrong "there are no credentials for the object store: set s3.existingSecret (a Secret with the keys S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY), or both s3.accessKeyId and s3.secretAccessKey." -}}
{{- end -}}
{{- end -}}

{{- /* The grader. */ -}}
{{- if eq $v.grader.provider "openai" -}}
{{- if and $v.grader.apiKey $v.grader.existingSecret -}}
{{- $wrong = append $wrong "grader.apiKey and grader.existingSecret are both set, and only one can count. Remove grader.apiKey: the existing Secret is the one to trust." -}}
{{- else if not (or $v.grader.apiKey $v.grader.existingSecret) -}}
{{- $wrong = append $wrong "grader.provider=openai needs a key: set grader.existingSecret (a Secret with the key OPENAI_API_KEY) or grader.apiKey. For your own server without keys (vLLM, Ollama) set grader.apiKey=none." -}}
{{- end -}}
{{- else if or $v.grader.apiKey $v.grader.existingSecret -}}
{{- $wrong = append $wrong "there is a key for a model, but grader.provider=baseline uses none, and every result would wait for a review. Set grader.provider=openai, or remove the key." -}}
{{- end -}}

{{- /* Pods. */ -}}
{{- $drain := int (get $v.worker.settings "DRAIN_SECONDS" | default 20) -}}
{{- $workerGrace := int $v.worker.terminationGracePeriodSeconds -}}
{{- if lt $workerGrace (add $drain 10 | int) -}}
{{- $wrong = append $wrong (printf "worker.terminationGracePeriodSeconds=%d is too short for worker.settings.DRAIN_SECONDS=%d: a worker would be killed with runs in progress. Make it at least %d: 10 s more, to hand back unfinished runs." $workerGrace $drain (add $drain 10)) -}}
{{- end -}}
{{- if and $v.desk.enabled (not $v.desk.url) -}}
{{- $wrong = append $wrong "desk.enabled=true needs desk.url, its address in the browser: the cookie of a session and the ingress depend on it." -}}
{{- end -}}
{{- if and (or $v.desk.ingress.enabled $v.desk.gateway.enabled) (not $v.desk.enabled) -}}
{{- $wrong = append $wrong "desk.ingress or desk.gateway is enabled without desk.enabled=true: there is nothing to serve." -}}
{{- end -}}
{{- if and (or $v.desk.ingress.enabled $v.desk.gateway.enabled) (hasKey $v.desk.settings "DESK_TRUSTED_PROXIES") (eq (int $v.desk.settings.DESK_TRUSTED_PROXIES) 0) -}}
{{- $wrong = append $wrong "desk.settings.DESK_TRUSTED_PROXIES=0 with desk.ingress or desk.gateway: all people would share the proxy's address, and failed sign-ins of one would lock out all. Leave it out (1), or name the number of proxies." -}}
{{- end -}}
{{- range list "facade" "desk" "core" -}}
{{- $part := index $v . -}}
{{- $linger := int (get $part.settings "LINGER_SECONDS" | default 5) -}}
{{- $needs := int (add 30 $linger (int $part.preStopSeconds)) -}}
{{- if lt (int $part.terminationGracePeriodSeconds) $needs -}}
{{- $wrong = append $wrong (printf "%s.terminationGracePeriodSeconds=%d is too short: preStopSeconds=%d, LINGER_SECONDS=%d, and a request in progress may take 30 s. Make it at least %d." . (int $part.terminationGracePeriodSeconds) (int $part.preStopSeconds) $linger $needs) -}}
{{- end -}}
{{- $memory := include "answer-evaluation.mebibytes" (dig "limits" "memory" "" $part.resources) -}}
{{- if and $memory (lt (int $memory) 256) -}}
{{- $wrong = append $wrong (printf "%s.resources.limits.memory=%v is too little: the process needs 256 Mi. A number without a unit is bytes." . (dig "limits" "memory" "" $part.resources)) -}}
{{- end -}}
{{- if and $part.autoscaling.enabled (gt (int $part.autoscaling.minReplicas) (int $part.autoscaling.maxReplicas)) -}}
{{- $wrong = append $wrong (printf "%s.autoscaling.minReplicas is more than maxReplicas." .) -}}
{{- end -}}
{{- if and $part.autoscaling.enabled (not (dig "requests" "cpu" "" $part.resources)) -}}
{{- $wrong = append $wrong (printf "%s.autoscaling goes by the share of the requested CPU, and %s.resources.requests.cpu is not set." . .) -}}
{{- end -}}
{{- end -}}
{{- if and $v.core.tlsSecretName (not $v.caBundle.configMap) -}}
{{- $wrong = append $wrong "core.tlsSecretName is set, and caBundle.configMap is not: no well-known authority signs the name of a Service, so facade and workers would not trust core. Name the ConfigMap with your authority's certificate." -}}
{{- end -}}
{{- /* Embedded PostgreSQL allows 100 connections, its default. An upgrade runs one replica of core more. */ -}}
{{- $maxConnections := ternary 100 (int (default 0 $v.database.maxConnections)) $v.embedded.enabled -}}
{{- $cores := int (ternary $v.core.autoscaling.maxReplicas $v.core.replicas $v.core.autoscaling.enabled) -}}
{{- $pool := int (get $v.core.settings "DATABASE_POOL" | default 12) -}}
{{- $connections := int (add 10 (mul (add 1 $cores) (add 5 $pool))) -}}
{{- if and $maxConnections (gt $connections $maxConnections) -}}
{{- $wrong = append $wrong (printf "core may open %d connections, and PostgreSQL allows %d: %d replicas of core and one more during an upgrade, each with core.settings.DATABASE_POOL=%d and 5 more, and 10 for others. %s DATABASE_POOL or the replicas." $connections $maxConnections $cores $pool (ternary "Lower" "Raise max_connections of PostgreSQL and database.maxConnections, or lower" $v.embedded.enabled)) -}}
{{- end -}}
{{- $scaling := $v.worker.autoscaling -}}
{{- range $lane := include "answer-evaluation.lanes.ofRuns" . | fromJsonArray -}}
{{- if not (index $v.worker.lanes $lane).enabled -}}
{{- if not (index $v.worker.lanes $lane).elsewhere -}}
{{- $wrong = append $wrong (printf "worker.lanes.%s.enabled=false: submissions in this lane would never be graded. If workers of another release take this lane, set worker.lanes.%s.elsewhere=true." $lane $lane) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $lane := include "answer-evaluation.lanes.ofJobs" . | fromJsonArray -}}
{{- if not (or (index $v.worker.lanes $lane).enabled $v.worker.lanes.copy.enabled (index $v.worker.lanes $lane).elsewhere) -}}
{{- $wrong = append $wrong (printf "worker.lanes.%s has no workers of its own, and the workers of copies, which would do it, are not enabled. Set worker.lanes.%s.enabled=true, or worker.lanes.%s.elsewhere=true if workers of another release do it." $lane $lane $lane) -}}
{{- end -}}
{{- end -}}
{{- range $lane := include "answer-evaluation.lanes" . | fromJsonArray -}}
{{- $values := index $v.worker.lanes $lane -}}
{{- if and (eq $scaling.kind "none") (eq (int $values.replicas) 0) -}}
{{- $wrong = append $wrong (printf "worker.lanes.%s.replicas=0 and worker.autoscaling.kind=none: jobs in this lane would wait for ever. Give it a replica, or let it scale (worker.autoscaling.kind=keda)." $lane) -}}
{{- end -}}
{{- if and (eq $scaling.kind "hpa") (eq (int $values.autoscaling.minReplicas) 0) -}}
{{- $wrong = append $wrong (printf "worker.lanes.%s.autoscaling.minReplicas=0 needs KEDA: an HPA does not start from nothing. Make it 1, or set worker.autoscaling.kind=keda." $lane) -}}
{{- end -}}
{{- if and (ne $scaling.kind "none") (gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas)) -}}
{{- $wrong = append $wrong (printf "worker.lanes.%s.autoscaling.minReplicas is more than maxReplicas." $lane) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $scaling.kind "keda") (eq $scaling.keda.source "prometheus") (not $scaling.keda.serverAddress) -}}
{{- $wrong = append $wrong "worker.autoscaling.kind=keda asks Prometheus how many runs wait, and worker.autoscaling.keda.serverAddress is empty, e.g. http://prometheus-operated.monitoring:9090. Without Prometheus set worker.autoscaling.keda.source=core." -}}
{{- end -}}
{{- if and (eq $scaling.kind "keda") (eq $scaling.keda.source "core") $scaling.keda.authenticationRef -}}
{{- $wrong = append $wrong "worker.autoscaling.keda.authenticationRef is set, and core's metrics take no credentials. Remove it, or set worker.autoscaling.keda.source=prometheus." -}}
{{- end -}}
{{- if and (eq $scaling.kind "keda") (eq $scaling.keda.source "prometheus") $scaling.keda.authenticationRef (not (hasKey $scaling.keda.metadata "authModes")) -}}
{{- $wrong = append $wrong "worker.autoscaling.keda.authenticationRef is set, and worker.autoscaling.keda.metadata.authModes is not: KEDA would send no credentials. Set it to bearer, basic, tls or custom, or to an empty text for a pod identity." -}}
{{- end -}}
{{- /* Each copy, inspection and drawing in progress has processes of up to 768 Mi together; the pod of a lane may work on several. */ -}}
{{- range $lane := include "answer-evaluation.lanes" . | fromJsonArray -}}
{{- $limit := dig "limits" "memory" "" (index $v.worker.lanes $lane).resources -}}
{{- $has := include "answer-evaluation.mebibytes" $limit -}}
{{- $jobs := 0 -}}{{- $of := list -}}
{{- range $name := include "answer-evaluation.lanes.ofPdfs" . | fromJsonArray -}}
{{- if include "answer-evaluation.takes" (dict "root" $ "lane" $lane "what" $name) -}}
{{- $concurrency := int (index $v.worker.lanes $name).concurrency -}}
{{- $jobs = add $jobs $concurrency -}}
{{- $of = append $of (printf "worker.lanes.%s.concurrency=%d" $name $concurrency) -}}
{{- end -}}
{{- end -}}
{{- $ocr := ternary 450 0 (and (has $lane (include "answer-evaluation.lanes.ofPages" $ | fromJsonArray)) (eq $v.grader.provider "baseline")) -}}
{{- $needs := add 256 (mul 768 $jobs) $ocr -}}
{{- if and $has (lt (int $has) (int $needs)) -}}
{{- $for := ternary (printf " for %s" (join ", " $of)) "" (gt (len $of) 0) -}}
{{- $each := ternary (printf "768 Mi for each of %d at once" (int $jobs)) "" (gt (int $jobs) 0) -}}
{{- $reading := ternary "450 Mi for reading offline (grader.provider=baseline)" "" (eq $ocr 450) -}}
{{- $wrong = append $wrong (printf "worker.lanes.%s.resources.limits.memory=%v is too little%s: %s are %d Mi. Raise it%s." $lane $limit $for (join ", " (compact (list $each $reading "256 Mi for the worker itself"))) (int $needs) (ternary ", or lower a concurrency" "" (gt (len $of) 0))) -}}
{{- end -}}
{{- end -}}
{{- if and (not $v.serviceAccounts.create) (not $v.serviceAccounts.existingName) -}}
{{- $wrong = append $wrong "serviceAccounts.create=false needs serviceAccounts.existingName: pods would run as the namespace's default account." -}}
{{- end -}}

{{- /* Ingress and monitoring. */ -}}
{{- if and $v.ingress.enabled (not $v.ingress.hosts) -}}
{{- $wrong = append $wrong "ingress.enabled=true needs ingress.hosts, e.g. ingress.hosts={evaluation.example.org}: without a host it would serve every name that reaches the controller." -}}
{{- end -}}
{{- if and $v.gateway.enabled (not $v.gateway.parentRefs) -}}
{{- $wrong = append $wrong "gateway.enabled=true needs gateway.parentRefs, e.g. [{name: public, namespace: gateways}]: without a Gateway the route serves nothing." -}}
{{- end -}}
{{- if and $v.gateway.enabled (not $v.gateway.hostnames) -}}
{{- $wrong = append $wrong "gateway.enabled=true needs gateway.hostnames, e.g. {evaluation.example.org}: without a host name it would serve every name of the Gateway." -}}
{{- end -}}
{{- if and $v.networkPolicy.enabled $v.monitoring.serviceMonitor.enabled (not $v.networkPolicy.metrics.from) -}}
{{- $wrong = append $wrong "monitoring.serviceMonitor.enabled=true, but networkPolicy.metrics.from is empty, so that Prometheus would reach no pod. Name its namespace there." -}}
{{- end -}}
{{- if and $v.monitoring.prometheusRule.enabled (not $v.monitoring.runbookUrl) -}}
{{- $wrong = append $wrong "monitoring.prometheusRule.enabled=true, and monitoring.runbookUrl is empty: the alerts have no page to link to. Set it to the address of docs/operate/runbook.md of this repository, e.g. https://git.example.org/exams/answer-evaluation/docs/operate/runbook.md." -}}
{{- end -}}

{{- if $wrong -}}
{{- fail (printf "\n\nanswer-evaluation: these values need attention:\n\n- %s\n" (join "\n- " $wrong)) -}}
{{- end -}}
{{- end -}}

{{/* A quantity of memory in Mi; empty for other units, which are not checked. */}}
{{- define "answer-evaluation.mebibytes" -}}
{{- $text := toString . -}}
{{- if regexMatch "^[0-9]+Gi$" $text -}}{{ mul 1024 (trimSuffix "Gi" $text | int) }}
{{- else if regexMatch "^[0-9]+Mi$" $text -}}{{ trimSuffix "Mi" $text | int }}
{{- else if regexMatch "^[0-9]+G$" $text -}}{{ mul 953 (trimSuffix "G" $text | int) }}
{{- else if regexMatch "^[0-9]+M$" $text -}}{{ div (mul 953 (trimSuffix "M" $text | int)) 1000 }}
{{- else if regexMatch "^[0-9]+Ki$" $text -}}{{ div (trimSuffix "Ki" $text | int) 1024 }}
{{- else if regexMatch "^[0-9]+k$" $text -}}{{ div (trimSuffix "k" $text | int) 1049 }}
{{- else if regexMatch "^[0-9]+$" $text -}}{{ div ($text | int64) 1048576 }}
{{- end -}}
{{- end -}}
