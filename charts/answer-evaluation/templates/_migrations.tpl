{{/*
A Job with the migrations. They take a lock in the database, so any number of Jobs may run: one migrates, and the others then find
nothing to do. The pods have no probe, because nothing may kill them half-way, and enough time for a large table. The Job needs only its own Secret, account and network
policy. In hook mode these are hooks too, created before the Job. They stay until the next hook replaces them, because a Job that
exceeds helm's timeout continues and its retries need them. In hook mode they have names of their own, because helm does not adopt
leftover hooks into a release when the mode changes.
*/}}

{{- define "answer-evaluation.migrations.name" -}}
{{- include "answer-evaluation.fullname" . -}}-migrate{{ if eq (include "answer-evaluation.migrations.mode" .) "hook" }}-hook{{ end }}
{{- end -}}

{{/* {root, weight, policy} */}}
{{- define "answer-evaluation.migrations.hook" -}}
{{- if eq (include "answer-evaluation.migrations.mode" .root) "hook" }}
annotations:
  helm.sh/hook: pre-install,pre-upgrade
  helm.sh/hook-weight: {{ .weight | quote }}
  helm.sh/hook-delete-policy: {{ .policy }}
{{- end }}
{{- end -}}

{{- define "answer-evaluation.migrations.coreRole" -}}
{{- with .Values.migrations.coreDatabaseRole }}
- name: CORE_DATABASE_ROLE
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "answer-evaluation.migrations.spec" -}}
{{- $part := dict "root" . "component" "migrate" "part" .Values.migrations "image" .Values.migrations.image "restartPolicy" "Never" -}}
{{- $_ := set $part "env" (printf "- name: DATABASE_URL\n  valueFrom: %s%s%s" (include "answer-evaluation.migrate.databaseRef" .) (include "answer-evaluation.env.certificates" .) (include "answer-evaluation.migrations.coreRole" .)) -}}
backoffLimit: {{ .Values.migrations.backoffLimit }}
activeDeadlineSeconds: {{ int .Values.migrations.activeDeadlineSeconds }}
{{- with .Values.migrations.ttlSecondsAfterFinished }}
ttlSecondsAfterFinished: {{ int . }}
{{- end }}
template:
  {{- include "answer-evaluation.pod" $part | nindent 2 }}
{{- end -}}

{{/* Core's pods start when the schema is current. Until then the old pods continue to serve. */}}
{{- define "answer-evaluation.waitForSchema" -}}
{{- $part := dict "root" . "component" "core" "part" .Values.core -}}
{{- $_ := set $part "env" (printf "- name: DATABASE_URL\n  valueFrom: %s%s" (include "answer-evaluation.databaseRef" .) (include "answer-evaluation.env.certificates" .)) -}}
- name: wait-for-schema
  image: {{ include "answer-evaluation.image" (dict "root" . "image" .Values.migrations.image) | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [--wait]
  {{- include "answer-evaluation.securityContext" (dict "root" .) | nindent 2 }}
  env:
    {{- include "answer-evaluation.envWithExtra" $part | nindent 4 }}
  {{- with concat .Values.allPods.extraEnvFrom .Values.core.extraEnvFrom }}
  envFrom:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  resources:
    {{- toYaml .Values.migrations.resources | nindent 4 }}
  volumeMounts:
    {{- include "answer-evaluation.volumeMounts" (dict "root" .) | nindent 4 }}
    {{- with concat .Values.allPods.extraVolumeMounts .Values.core.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
