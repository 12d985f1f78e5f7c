{{/*
Egress rules as list items. The port is networkPolicy.*.ports, else the port of the address in the values, else the usual port of the
service. The destination is the embedded pod, else networkPolicy.*.to, else any address except link-local ones, where clouds serve
credentials of the node.
*/}}

{{/* Pods are listed beside the address blocks, because some networks (Cilium) do not match a pod by its address. */}}
{{- define "answer-evaluation.egress.anywhere" -}}
- namespaceSelector: {}
- ipBlock: { cidr: 0.0.0.0/0, except: [169.254.0.0/16] }
- ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::/32'] }
{{- end -}}

{{- define "answer-evaluation.egress.dns" }}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end }}

{{/* {root, component, port} */}}
{{- define "answer-evaluation.egress.ours" }}
- to:
    - podSelector:
        matchLabels:
          {{- include "answer-evaluation.selectorLabels" . | nindent 10 }}
  ports:
    - { protocol: TCP, port: {{ .port }} }
{{- end }}

{{/* {to, ports} */}}
{{- define "answer-evaluation.egress.theirs" }}
- to:
    {{- if .to }}
    {{- toYaml .to | nindent 4 }}
    {{- else }}
    {{- include "answer-evaluation.egress.anywhere" . | nindent 4 }}
    {{- end }}
  ports:
    {{- range .ports | uniq }}
    - { protocol: TCP, port: {{ int . }} }
    {{- end }}
{{- end }}

{{- define "answer-evaluation.egress.postgresql" }}
{{- if .Values.embedded.enabled }}
{{- include "answer-evaluation.egress.ours" (dict "root" . "component" "postgresql" "port" 5432) }}
{{- else }}
{{- $ports := list }}
{{- range list .Values.database.url .Values.database.migrate.url }}
{{- if . }}{{ $ports = append $ports (include "answer-evaluation.portOf" (dict "url" . "default" "5432")) }}{{ end }}
{{- end }}
{{- $policy := .Values.networkPolicy.postgresql }}
{{- include "answer-evaluation.egress.theirs" (dict "to" $policy.to "ports" ($policy.ports | default $ports | default (list 5432))) }}
{{- end }}
{{- end }}

{{- define "answer-evaluation.egress.nats" }}
{{- if .Values.embedded.enabled }}
{{- include "answer-evaluation.egress.ours" (dict "root" . "component" "nats" "port" 4222) }}
{{- else }}
{{- $ports := list }}
{{- range splitList "," .Values.nats.url }}
{{- if . }}{{ $ports = append $ports (include "answer-evaluation.portOf" (dict "url" (trim .) "default" "4222")) }}{{ end }}
{{- end }}
{{- $policy := .Values.networkPolicy.nats }}
{{- include "answer-evaluation.egress.theirs" (dict "to" $policy.to "ports" ($policy.ports | default $ports | default (list 4222))) }}
{{- end }}
{{- end }}

{{- define "answer-evaluation.egress.s3" }}
{{- if .Values.embedded.enabled }}
{{- include "answer-evaluation.egress.ours" (dict "root" . "component" "s3" "port" 7070) }}
{{- else }}
{{- $policy := .Values.networkPolicy.s3 }}
{{- include "answer-evaluation.egress.theirs" (dict "to" $policy.to "ports" ($policy.ports | default (list (include "answer-evaluation.portOf" (dict "url" .Values.s3.endpoint "default" "443"))))) }}
{{- end }}
{{- end }}

{{- define "answer-evaluation.egress.model" }}
{{- if eq .Values.grader.provider "openai" }}
{{- $policy := .Values.networkPolicy.model }}
{{- include "answer-evaluation.egress.theirs" (dict "to" $policy.to "ports" ($policy.ports | default (list (include "answer-evaluation.portOf" (dict "url" .Values.grader.baseUrl "default" "443"))))) }}
{{- end }}
{{- end }}

{{- define "answer-evaluation.egress.tracing" }}
{{- if .Values.tracing.endpoint }}
{{- $policy := .Values.networkPolicy.tracing }}
{{- include "answer-evaluation.egress.theirs" (dict "to" $policy.to "ports" ($policy.ports | default (list (include "answer-evaluation.portOf" (dict "url" .Values.tracing.endpoint "default" "4318"))))) }}
{{- end }}
{{- end }}

{{- define "answer-evaluation.policyHead" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "answer-evaluation.fullname" .root }}-{{ .component }}
  labels:
    {{- include "answer-evaluation.labels" . | nindent 4 }}
{{- end }}
