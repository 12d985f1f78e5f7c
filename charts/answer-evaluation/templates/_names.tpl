{{/* Names, labels and images. Every template is named answer-evaluation.*, so that the chart can be a subchart. */}}

{{- define "answer-evaluation.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 40 characters, so that the name of a migration with its suffix fits into the 63 of a label. */}}
{{- define "answer-evaluation.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "answer-evaluation.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "answer-evaluation.releaseLabels" -}}
app.kubernetes.io/name: {{ include "answer-evaluation.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* {root, component, lane?}: must never change, because a Deployment's selector cannot change. */}}
{{- define "answer-evaluation.selectorLabels" -}}
{{ include "answer-evaluation.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- with .lane }}
answer-evaluation/lane: {{ . }}
{{- end }}
{{- end -}}

{{- define "answer-evaluation.labels" -}}
{{ include "answer-evaluation.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "answer-evaluation.tag" -}}
{{- default .Chart.AppVersion .Values.image.tag -}}
{{- end -}}

{{/* {root, image}: a digest takes precedence over the tag. */}}
{{- define "answer-evaluation.image" -}}
{{- $name := printf "%s/%s" (trimSuffix "/" .root.Values.image.registry) .image.repository -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (include "answer-evaluation.tag" .root) -}}
{{- end -}}
{{- end -}}

{{- define "answer-evaluation.serviceAccountName" -}}
{{- if and .root.Values.serviceAccounts.create (eq .component "migrate") -}}
{{- include "answer-evaluation.migrations.name" .root -}}
{{- else if .root.Values.serviceAccounts.create -}}
{{- printf "%s-%s" (include "answer-evaluation.fullname" .root) .component -}}
{{- else -}}
{{- .root.Values.serviceAccounts.existingName -}}
{{- end -}}
{{- end -}}

{{/* The enabled lanes, as JSON: they have workers of their own. */}}
{{- define "answer-evaluation.lanes" -}}
{{- $lanes := list -}}
{{- range include "answer-evaluation.lanes.all" . | fromJsonArray -}}
{{- if (index $.Values.worker.lanes .).enabled }}{{ $lanes = append $lanes . }}{{ end -}}
{{- end -}}
{{- toJson $lanes -}}
{{- end -}}

{{/* {root, lane, what}: `yes` if the workers of `lane` take the jobs of lane `what`, else empty. */}}
{{- define "answer-evaluation.takes" -}}
{{- $own := (index .root.Values.worker.lanes .what).enabled -}}
{{- if or (eq .what .lane) (and (eq .lane "copy") (has .what (include "answer-evaluation.lanes.ofJobs" . | fromJsonArray)) (not $own)) }}yes{{ end -}}
{{- end -}}

{{/*
hook, job or none. With embedded services hook becomes job: there is no database before the release is installed, so a hook would wait
for ever.
*/}}
{{- define "answer-evaluation.migrations.mode" -}}
{{- if and .Values.embedded.enabled (eq .Values.migrations.mode "hook") -}}job{{- else -}}{{ .Values.migrations.mode }}{{- end -}}
{{- end -}}

{{/* {url, default}: the port in an address, or the default port of its scheme. */}}
{{- define "answer-evaluation.portOf" -}}
{{- $parsed := urlParse .url -}}
{{- $port := regexFind ":[0-9]+$" $parsed.host | trimPrefix ":" -}}
{{- if $port -}}{{ $port }}
{{- else if eq $parsed.scheme "https" -}}443
{{- else if eq $parsed.scheme "http" -}}80
{{- else -}}{{ .default }}
{{- end -}}
{{- end -}}
