{{/* {settings}: environment variables of the service by name; large numbers are written without an exponent. */}}
{{- define "answer-evaluation.settings" -}}
{{- range $name, $value := .settings }}
- name: {{ $name }}
  value: {{ ternary (printf "%d" (int64 $value)) (toString $value) (or (kindIs "float64" $value) (kindIs "int64" $value) (kindIs "int" $value)) | quote }}
{{- end }}
{{- end -}}

{{- define "answer-evaluation.env.all" -}}
- name: LOG_LEVEL
  value: {{ .Values.logLevel }}
- name: METRICS_HOST
  value: 0.0.0.0
- name: METRICS_PORT
  value: "9090"
{{- with .Values.tracing.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
- name: TRACE_SAMPLE_RATIO
  value: {{ $.Values.tracing.sampleRatio | quote }}
{{- end }}
{{- include "answer-evaluation.env.certificates" . }}
{{- end -}}

{{- define "answer-evaluation.env.certificates" -}}
{{- if .Values.caBundle.configMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/answer-evaluation/certificates/{{ .Values.caBundle.key }}
{{- end }}
{{- end -}}

{{- define "answer-evaluation.env.token" -}}
- name: {{ .name }}
  valueFrom: {{ include "answer-evaluation.ref" (dict "name" (include "answer-evaluation.tokenSecretName" .root) "key" .name) }}
{{- end -}}

{{/* {root, component} */}}
{{- define "answer-evaluation.env.lanes" -}}
- name: NATS_URL
  valueFrom: {{ include "answer-evaluation.natsRef" . }}
- name: LANE_NAMESPACE
  value: {{ .root.Values.nats.namespace | quote }}
{{- with .root.Values.nats.replicas }}
- name: LANE_REPLICAS
  value: {{ quote . }}
{{- end }}
{{- end -}}

{{- define "answer-evaluation.env.coreUrl" -}}
- name: CORE_URL
  value: {{ ternary "https" "http" (ne .Values.core.tlsSecretName "") }}://{{ include "answer-evaluation.fullname" . }}-core:8081
{{- end -}}

{{/*
{root, part}: the share of the memory limit for JavaScript's heap; the rest is for request bodies in buffers and for the process itself.
Node's default is half. NODE_OPTIONS in extraEnv replaces it.
*/}}
{{- define "answer-evaluation.env.heap" -}}
{{- $isSet := false -}}
{{- range concat .root.Values.allPods.extraEnv .part.extraEnv }}{{ if eq .name "NODE_OPTIONS" }}{{ $isSet = true }}{{ end }}{{ end -}}
{{- if not $isSet }}
- name: NODE_OPTIONS
  value: --max-old-space-size-percentage=70
{{- end }}
{{- end -}}

{{- define "answer-evaluation.env.facade" -}}
{{ include "answer-evaluation.env.all" . }}
{{- include "answer-evaluation.env.heap" (dict "root" . "part" .Values.facade) }}
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: "8080"
{{ include "answer-evaluation.env.coreUrl" . }}
{{ include "answer-evaluation.env.token" (dict "root" . "name" "CORE_PUBLIC_TOKEN") }}
{{ include "answer-evaluation.env.token" (dict "root" . "name" "ACTOR_SIGNING_KEY") }}
{{ include "answer-evaluation.env.lanes" (dict "root" . "component" "facade") }}
{{- include "answer-evaluation.settings" .Values.facade }}
{{- end -}}

{{- define "answer-evaluation.env.desk" -}}
{{ include "answer-evaluation.env.all" . }}
{{- include "answer-evaluation.env.heap" (dict "root" . "part" .Values.desk) }}
- name: DESK_HOST
  value: 0.0.0.0
- name: DESK_PORT
  value: "8082"
- name: DESK_URL
  value: {{ .Values.desk.url | quote }}
{{- if and (or .Values.desk.ingress.enabled .Values.desk.gateway.enabled) (not (hasKey .Values.desk.settings "DESK_TRUSTED_PROXIES")) }}
{{- /* Without it all people share the address of the ingress, and a hundred failed sign-ins of anyone lock out everyone. */}}
- name: DESK_TRUSTED_PROXIES
  value: "1"
{{- end }}
- name: DESK_STORE_ORIGINS
  value: {{ include "answer-evaluation.storeOrigin" . | quote }}
{{ include "answer-evaluation.env.coreUrl" . }}
{{ include "answer-evaluation.env.token" (dict "root" . "name" "CORE_PUBLIC_TOKEN") }}
{{ include "answer-evaluation.env.token" (dict "root" . "name" "ACTOR_SIGNING_KEY") }}
{{- /* The desk has the NATS user of the facade. */}}
{{ include "answer-evaluation.env.lanes" (dict "root" . "component" "facade") }}
{{- include "answer-evaluation.settings" .Values.desk }}
{{- end -}}

{{/* Where browsers reach the object store; a bucket that is not in the path is a part of the host name. */}}
{{- define "answer-evaluation.storeOrigin" -}}
{{- $endpoint := .Values.s3.publicEndpoint | default (include "answer-evaluation.s3Endpoint" .) -}}
{{- $url := urlParse $endpoint -}}
{{- printf "%s://%s%s" $url.scheme (ternary "" (printf "%s." .Values.s3.bucket) .Values.s3.forcePathStyle) $url.host -}}
{{- end -}}

{{- define "answer-evaluation.env.core" -}}
{{ include "answer-evaluation.env.all" . }}
{{- include "answer-evaluation.env.heap" (dict "root" . "part" .Values.core) }}
- name: CORE_HOST
  value: 0.0.0.0
- name: CORE_PORT
  value: "8081"
{{- if .Values.core.tlsSecretName }}
- name: CORE_TLS_CERT_FILE
  value: /etc/answer-evaluation/tls/tls.crt
- name: CORE_TLS_KEY_FILE
  value: /etc/answer-evaluation/tls/tls.key
# For the provisioning CLI, which runs in this container.
- name: CORE_URL
  value: https://localhost:8081
{{- end }}
- name: DATABASE_URL
  valueFrom: {{ include "answer-evaluation.databaseRef" . }}
{{- range list "CORE_PUBLIC_TOKEN" "CORE_GRADING_TOKEN" "CORE_CONTROL_TOKEN" "ACTOR_SIGNING_KEY" }}
{{ include "answer-evaluation.env.token" (dict "root" $ "name" .) }}
{{- end }}
{{- with .Values.secrets.teamSigningKeysSecret }}
- name: TEAM_SIGNING_KEYS
  valueFrom: {{ include "answer-evaluation.ref" (dict "name" . "key" "TEAM_SIGNING_KEYS") }}
{{- end }}
{{ include "answer-evaluation.env.lanes" (dict "root" . "component" "core") }}
- name: S3_ENDPOINT
  value: {{ include "answer-evaluation.s3Endpoint" . | quote }}
{{- with .Values.s3.publicEndpoint }}
- name: S3_PUBLIC_ENDPOINT
  value: {{ . | quote }}
{{- end }}
- name: S3_REGION
  value: {{ .Values.s3.region | quote }}
- name: S3_BUCKET
  value: {{ .Values.s3.bucket | quote }}
- name: S3_FORCE_PATH_STYLE
  value: {{ .Values.s3.forcePathStyle | quote }}
- name: S3_POD_IDENTITY
  value: {{ .Values.s3.podIdentity | quote }}
{{- if not .Values.s3.podIdentity }}
- name: S3_ACCESS_KEY_ID
  valueFrom: {{ include "answer-evaluation.s3Ref" (dict "root" . "what" "accessKeyId") }}
- name: S3_SECRET_ACCESS_KEY
  valueFrom: {{ include "answer-evaluation.s3Ref" (dict "root" . "what" "secretAccessKey") }}
{{- end }}
{{- include "answer-evaluation.settings" .Values.core }}
{{- end -}}

{{/*
{root, lane}: a worker takes its own lane. Workers of copies also take inspections and drawings if those have no workers of their own.
*/}}
{{- define "answer-evaluation.env.worker" -}}
{{- $lanes := .root.Values.worker.lanes -}}
{{ include "answer-evaluation.env.all" .root }}
{{ include "answer-evaluation.env.coreUrl" .root }}
{{ include "answer-evaluation.env.token" (dict "root" .root "name" "CORE_GRADING_TOKEN") }}
{{ include "answer-evaluation.env.lanes" (dict "root" .root "component" "worker") }}
{{- range $name := include "answer-evaluation.lanes.all" . | fromJsonArray }}
{{- $one := index $lanes $name }}
{{- $mine := include "answer-evaluation.takes" (dict "root" $.root "lane" $.lane "what" $name) }}
- name: {{ upper $name }}_CONCURRENCY
  value: {{ ternary (int $one.concurrency) 0 (ne $mine "") | quote }}
{{- end }}
- name: GRADER
  value: {{ .root.Values.grader.provider }}
{{- if eq .root.Values.grader.provider "openai" }}
- name: OPENAI_BASE_URL
  value: {{ .root.Values.grader.baseUrl | quote }}
- name: GRADER_MODEL
  value: {{ .root.Values.grader.model | quote }}
- name: OPENAI_API_KEY
  valueFrom: {{ include "answer-evaluation.modelKeyRef" .root }}
{{- end }}
{{- include "answer-evaluation.settings" .root.Values.worker }}
{{- end -}}
