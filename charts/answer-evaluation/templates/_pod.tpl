{{/*
The pod of each part of the service. Parameters:
  root       the chart's context
  component  facade, desk, core, worker, migrate
  lane       of a worker
  part       the values of this part (resources, extraEnv, nodeSelector, …)
  image      {repository, digest}
  env        YAML of its environment
  ports      {name: number}, without metrics
  running    true: a server with probes; false: a migration without probes, which nothing may kill
  init       YAML of init containers
  args, startupSeconds, preStopSeconds, terminationGracePeriodSeconds, restartPolicy
*/}}
{{- define "answer-evaluation.pod" -}}
{{- $all := .root.Values.allPods -}}
{{- $part := .part -}}
metadata:
  labels:
    {{- include "answer-evaluation.selectorLabels" . | nindent 4 }}
    app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
    {{- if .running }}
    answer-evaluation/metrics: 'true'
    {{- end }}
    {{- with merge (dict) $part.labels $all.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: {{ .component }}
    {{- if .running }}
    checksum/secrets: {{ include "answer-evaluation.literalsChecksum" . }}
    {{- end }}
    {{- with merge (dict) $part.annotations $all.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ quote . }}
    {{- end }}
  {{- end }}
  serviceAccountName: {{ include "answer-evaluation.serviceAccountName" . | quote }}
  automountServiceAccountToken: false
  # Otherwise Kubernetes sets variables of other services (CORE_PORT=tcp://…), which would be read as settings.
  enableServiceLinks: false
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  {{- with .terminationGracePeriodSeconds }}
  terminationGracePeriodSeconds: {{ int . }}
  {{- end }}
  {{- with $part.priorityClassName | default $all.priorityClassName }}
  priorityClassName: {{ quote . }}
  {{- end }}
  {{- with $part.nodeSelector | default $all.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $part.tolerations | default $all.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $part.affinity | default $all.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .running }}
  topologySpreadConstraints:
    {{- if $part.topologySpreadConstraints }}
    {{- toYaml $part.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "answer-evaluation.selectorLabels" $ | nindent 10 }}
      matchLabelKeys: [pod-template-hash]
    {{- end }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- toYaml $all.podSecurityContext | nindent 4 }}
  {{- with $all.dnsPolicy }}
  dnsPolicy: {{ . }}
  {{- end }}
  {{- with $all.dnsConfig }}
  dnsConfig:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- $initContainers := concat $all.extraInitContainers $part.extraInitContainers }}
  {{- if or .init $initContainers }}
  initContainers:
    {{- with $initContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with .init }}
    {{- . | nindent 4 }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "answer-evaluation.image" (dict "root" .root "image" .image) | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      {{- with .args }}
      args: {{ toJson . }}
      {{- end }}
      {{- include "answer-evaluation.securityContext" . | nindent 6 }}
      env:
        {{- include "answer-evaluation.envWithExtra" . | nindent 8 }}
      {{- with concat $all.extraEnvFrom $part.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if .running }}
      ports:
        {{- range $name, $port := .ports }}
        - { name: {{ $name }}, containerPort: {{ $port }} }
        {{- end }}
        - { name: metrics, containerPort: 9090 }
      # Checks only that the process answers. Readiness checks its dependencies, because their outage must not restart the pod.
      startupProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: {{ max 1 (div (int .startupSeconds) 2) }}
      livenessProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        # A facade stays in its Service while core or NATS is down: it answers with the documented error, a proxy would not.
        httpGet: { path: {{ ternary "/acceptz" "/readyz" (eq .component "facade") }}, port: metrics }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      {{- end }}
      {{- with .preStopSeconds }}
      lifecycle:
        preStop:
          # Accepts connections until every proxy knows that this pod stops. SIGTERM follows and ends open connections.
          sleep: { seconds: {{ int . }} }
      {{- end }}
      resources:
        {{- toYaml $part.resources | nindent 8 }}
      volumeMounts:
        {{- include "answer-evaluation.volumeMounts" . | nindent 8 }}
        {{- if .part.tlsSecretName }}
        - { name: tls, mountPath: /etc/answer-evaluation/tls, readOnly: true }
        {{- end }}
        {{- with concat $all.extraVolumeMounts $part.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- if .running }}
    {{- with concat $all.extraContainers $part.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: {{ $part.temporaryFiles }} }
    {{- with .root.Values.caBundle.configMap }}
    - name: certificates
      configMap: { name: {{ quote . }} }
    {{- end }}
    {{- with .part.tlsSecretName }}
    - name: tls
      secret: { secretName: {{ quote . }}, defaultMode: 288 }
    {{- end }}
    {{- with concat $all.extraVolumes $part.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "answer-evaluation.securityContext" -}}
securityContext:
  {{- toYaml .root.Values.allPods.securityContext | nindent 2 }}
{{- end -}}

{{- define "answer-evaluation.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .root.Values.caBundle.configMap }}
- { name: certificates, mountPath: /etc/answer-evaluation/certificates, readOnly: true }
{{- end }}
{{- end -}}

{{/* Refuses a variable that is given twice; Kubernetes would silently use the last one. */}}
{{- define "answer-evaluation.envWithExtra" -}}
{{- $own := fromYamlArray .env -}}
{{- $names := dict -}}
{{- range $own }}{{ $_ := set $names .name "chart" }}{{ end -}}
{{- range concat .root.Values.allPods.extraEnv .part.extraEnv -}}
{{- if eq (get $names .name) "chart" -}}
{{- fail (printf "answer-evaluation: extraEnv sets %s for %s, which the chart sets itself. Use the value that is meant for it (see the table in the chart's README), or leave it out." .name $.component) -}}
{{- end -}}
{{- if hasKey $names .name -}}
{{- fail (printf "answer-evaluation: extraEnv sets %s for %s twice, in allPods.extraEnv and in its own. Leave one out." .name $.component) -}}
{{- end -}}
{{- $_ := set $names .name "extra" -}}
{{- end -}}
{{ .env }}
{{- with concat .root.Values.allPods.extraEnv .part.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
