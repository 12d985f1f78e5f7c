{{/* Generated from contracts/jobs/src/lanes.ts by `npm run generate:chart`. Each list is JSON. */}}
{{- define "answer-evaluation.lanes.all" -}}["copy","typed","inspect","draw"]{{- end -}}
{{- define "answer-evaluation.lanes.ofRuns" -}}["copy","typed"]{{- end -}}
{{- define "answer-evaluation.lanes.ofJobs" -}}["inspect","draw"]{{- end -}}
{{- define "answer-evaluation.lanes.ofPages" -}}["copy"]{{- end -}}
{{- define "answer-evaluation.lanes.ofPdfs" -}}["copy","inspect","draw"]{{- end -}}
