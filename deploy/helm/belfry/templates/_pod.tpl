{{- /* The parts that every pod has: users, rights, files. */ -}}
{{- define "belfry.podSecurity" -}}
serviceAccountName: belfry
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65534
  runAsGroup: 65534
  fsGroup: 65534
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "belfry.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop:
      - ALL
{{- end }}

{{- define "belfry.image" -}}
image: {{ .context.Values.image.registry }}/{{ .name }}:{{ .context.Values.image.tag | default .context.Chart.AppVersion }}
imagePullPolicy: {{ .context.Values.image.pullPolicy }}
{{- end }}

{{- /* An entry of env from a key of a Secret, which has the variable's name unless `key` is given. */ -}}
{{- define "belfry.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key | default .name }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end }}

{{- /* Certificates of authorities, and what else DATABASE_URL and NATS_TLS_… name. */ -}}
{{- define "belfry.tlsVolume" -}}
- name: tls
  secret:
    secretName: {{ .Values.existingTlsSecret }}
    optional: true
{{- end }}

{{- /* The variables of a service's ConfigMap: those of every service and its own. */ -}}
{{- define "belfry.data" -}}
{{- range $name, $value := .env }}
{{ $name }}: {{ tpl $value $.context | quote }}
{{- end }}
{{- end }}
