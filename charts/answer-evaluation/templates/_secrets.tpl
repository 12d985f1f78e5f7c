{{/*
The Secret and key of each secret. The chart never reads or copies an existing Secret. It creates a Secret from the values or, with
secrets.generate, from random characters. _validate.tpl refuses a secret with two sources.
*/}}

{{- define "answer-evaluation.tokenSecretName" -}}
{{- .Values.secrets.existingSecret | default (printf "%s-tokens" (include "answer-evaluation.fullname" .)) -}}
{{- end -}}

{{- define "answer-evaluation.embeddedSecretName" -}}
{{- printf "%s-embedded" (include "answer-evaluation.fullname" .) -}}
{{- end -}}

{{- define "answer-evaluation.ref" -}}
{{- printf "{secretKeyRef: {name: %q, key: %q}}" .name .key -}}
{{- end -}}

{{- define "answer-evaluation.databaseRef" -}}
{{- if .Values.embedded.enabled -}}
{{- include "answer-evaluation.ref" (dict "name" (include "answer-evaluation.embeddedSecretName" .) "key" "DATABASE_URL") -}}
{{- else if .Values.database.existingSecret -}}
{{- include "answer-evaluation.ref" (dict "name" .Values.database.existingSecret "key" .Values.database.existingSecretKey) -}}
{{- else -}}
{{- include "answer-evaluation.ref" (dict "name" (printf "%s-database" (include "answer-evaluation.fullname" .)) "key" "DATABASE_URL") -}}
{{- end -}}
{{- end -}}

{{/* The database address that the chart puts into a Secret for the migrations; empty if a Secret exists. */}}
{{- define "answer-evaluation.migrate.literalUrl" -}}
{{- if and (not .Values.embedded.enabled) (not .Values.database.migrate.existingSecret) -}}
{{- if .Values.database.migrate.url -}}{{ .Values.database.migrate.url }}
{{- else if not .Values.database.existingSecret -}}{{ .Values.database.url }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
A hook runs before the objects of the release exist, so it cannot use a Secret of the release. Values go into a separate Secret, which is
a hook itself.
*/}}
{{- define "answer-evaluation.migrate.databaseRef" -}}
{{- if include "answer-evaluation.migrate.literalUrl" . -}}
{{- include "answer-evaluation.ref" (dict "name" (include "answer-evaluation.migrations.name" .) "key" "DATABASE_URL") -}}
{{- else if .Values.database.migrate.existingSecret -}}
{{- include "answer-evaluation.ref" (dict "name" .Values.database.migrate.existingSecret "key" .Values.database.migrate.existingSecretKey) -}}
{{- else -}}
{{- include "answer-evaluation.databaseRef" . -}}
{{- end -}}
{{- end -}}

{{/* {root, component: core | facade | worker}: each may have its own NATS user. */}}
{{- define "answer-evaluation.natsRef" -}}
{{- $nats := .root.Values.nats -}}
{{- if .root.Values.embedded.enabled -}}
{{- include "answer-evaluation.ref" (dict "name" (include "answer-evaluation.embeddedSecretName" .root) "key" (printf "NATS_%s_URL" (upper .component))) -}}
{{- else if $nats.existingSecret -}}
{{- include "answer-evaluation.ref" (dict "name" $nats.existingSecret "key" (get $nats.existingSecretKeys .component | default $nats.existingSecretKey)) -}}
{{- else -}}
{{- include "answer-evaluation.ref" (dict "name" (printf "%s-nats" (include "answer-evaluation.fullname" .root)) "key" "NATS_URL") -}}
{{- end -}}
{{- end -}}

{{/* {root, what: accessKeyId | secretAccessKey} */}}
{{- define "answer-evaluation.s3Ref" -}}
{{- $s3 := .root.Values.s3 -}}
{{- $own := dict "accessKeyId" "S3_ACCESS_KEY_ID" "secretAccessKey" "S3_SECRET_ACCESS_KEY" -}}
{{- if .root.Values.embedded.enabled -}}
{{- include "answer-evaluation.ref" (dict "name" (include "answer-evaluation.embeddedSecretName" .root) "key" (get $own .what)) -}}
{{- else if $s3.existingSecret -}}
{{- include "answer-evaluation.ref" (dict "name" $s3.existingSecret "key" (get $s3 (printf "%sKey" .what))) -}}
{{- else -}}
{{- include "answer-evaluation.ref" (dict "name" (printf "%s-s3" (include "answer-evaluation.fullname" .root)) "key" (get $own .what)) -}}
{{- end -}}
{{- end -}}

{{- define "answer-evaluation.modelKeyRef" -}}
{{- if .Values.grader.existingSecret -}}
{{- include "answer-evaluation.ref" (dict "name" .Values.grader.existingSecret "key" .Values.grader.existingSecretKey) -}}
{{- else -}}
{{- include "answer-evaluation.ref" (dict "name" (printf "%s-model" (include "answer-evaluation.fullname" .)) "key" "OPENAI_API_KEY") -}}
{{- end -}}
{{- end -}}

{{- define "answer-evaluation.s3Endpoint" -}}
{{- if .Values.embedded.enabled -}}
{{- printf "http://%s-s3.%s:7070" (include "answer-evaluation.fullname" .) .Release.Namespace -}}
{{- else -}}{{ .Values.s3.endpoint }}{{- end -}}
{{- end -}}

{{/*
{kept, key, length}: the value in the cluster, or a new one. A value is generated once, because running pods and the data of a kept
volume use the old one. It begins with a letter, because nats-server reads a text of digits as a number.
*/}}
{{- define "answer-evaluation.keptOrNew" -}}
{{- $kept := get .kept .key -}}
{{- if $kept -}}{{ b64dec $kept }}{{- else -}}s{{ randAlphaNum .length }}{{- end -}}
{{- end -}}

{{/* {root, component}: restarts the pods that use a secret of the values when that secret changes. */}}
{{- define "answer-evaluation.literalsChecksum" -}}
{{- $v := .root.Values -}}
{{- $s := $v.secrets -}}
{{- $uses := dict
  "facade" (list $s.corePublicToken $s.actorSigningKey $v.nats.url)
  "desk" (list $s.corePublicToken $s.actorSigningKey $v.nats.url)
  "core" (list $s.corePublicToken $s.coreGradingToken $s.coreControlToken $s.actorSigningKey $v.database.url $v.nats.url $v.s3.accessKeyId $v.s3.secretAccessKey)
  "worker" (list $s.coreGradingToken $v.nats.url $v.grader.apiKey)
-}}
{{- get $uses .component | toJson | sha256sum -}}
{{- end -}}
