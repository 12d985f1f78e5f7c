{{/*
An embedded service for a trial: one replica with a volume. Parameters: {root, component, port, user, values, env, args,
command, mounts, volumes, probe}
*/}}
{{- define "answer-evaluation.embedded" -}}
{{- $name := printf "%s-%s" (include "answer-evaluation.fullname" .root) .component -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels:
    {{- include "answer-evaluation.labels" . | nindent 4 }}
spec:
  replicas: 1
  serviceName: {{ $name }}
  selector:
    matchLabels:
      {{- include "answer-evaluation.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "answer-evaluation.selectorLabels" . | nindent 8 }}
        {{- with .root.Values.allPods.labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- with .root.Values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ quote . }}
        {{- end }}
      {{- end }}
      serviceAccountName: {{ include "answer-evaluation.serviceAccountName" (dict "root" .root "component" "embedded") | quote }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 60
      {{- with .root.Values.allPods.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .root.Values.allPods.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: {{ .user }}
        runAsGroup: {{ .user }}
        fsGroup: {{ .user }}
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: {{ .component }}
          image: {{ .values.image | quote }}
          imagePullPolicy: IfNotPresent
          {{- with .args }}
          args: {{ toJson . }}
          {{- end }}
          {{- include "answer-evaluation.securityContext" . | nindent 10 }}
          env:
            {{- .env | nindent 12 }}
          ports:
            - { name: main, containerPort: {{ .port }} }
          startupProbe:
            {{- .probe | nindent 12 }}
            periodSeconds: 2
            timeoutSeconds: 5
            failureThreshold: 150
          livenessProbe:
            tcpSocket: { port: main }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            {{- .probe | nindent 12 }}
            periodSeconds: 5
            timeoutSeconds: 5
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
            {{- with .mounts }}
            {{- . | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 64Mi }
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
  volumeClaimTemplates:
    - metadata:
        name: data
        labels:
          {{- include "answer-evaluation.selectorLabels" . | nindent 10 }}
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .root.Values.embedded.storageClassName }}
        storageClassName: {{ quote . }}
        {{- end }}
        resources:
          requests: { storage: {{ .values.storage }} }
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "answer-evaluation.labels" . | nindent 4 }}
spec:
  selector:
    {{- include "answer-evaluation.selectorLabels" . | nindent 4 }}
  ports:
    - { name: main, port: {{ .port }}, targetPort: main }
{{- end -}}

{{- define "answer-evaluation.embedded.natsPasswords" -}}
{{- range $index, $name := list "CORE" "FACADE" "WORKER" -}}
{{- if $index }}{{ "\n" }}{{ end -}}
{{- include "answer-evaluation.embedded.env" (dict "root" $ "name" (printf "NATS_%s_PASSWORD" $name)) -}}
{{- end }}
# The server reads its configuration once. This variable restarts the pod when the namespace changes.
- name: LANE_NAMESPACE
  value: {{ .Values.nats.namespace | quote }}
{{- end -}}

{{- define "answer-evaluation.embedded.env" -}}
- name: {{ .name }}
  valueFrom: {{ include "answer-evaluation.ref" (dict "name" (include "answer-evaluation.embeddedSecretName" .root) "key" (.key | default .name)) }}
{{- end -}}
