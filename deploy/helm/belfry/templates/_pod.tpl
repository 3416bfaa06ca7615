{{- /* A value of a service (`own`), or that of all where the service has none. The text is YAML; empty for nothing. */ -}}
{{- define "belfry.value" -}}
{{- with hasKey .own .name | ternary (get .own .name) (get .context.Values .name) }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- /* The parts of a pod's spec that an installation chooses: for all pods, and for a service (`own`) in their place. */ -}}
{{- define "belfry.podOptions" -}}
serviceAccountName: {{ .context.Values.serviceAccount.name }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .context.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $name := list "podSecurityContext" "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with include "belfry.value" (dict "name" $name "own" $.own "context" $.context) }}
{{ $name | replace "podSecurityContext" "securityContext" }}: {{- . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "belfry.containerSecurity" -}}
{{- with include "belfry.value" (dict "name" "securityContext" "own" .own "context" .context) }}
securityContext: {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Labels or annotations (`name`) of a pod: its own beside those of all pods. */ -}}
{{- define "belfry.podMetadata" -}}
{{- with merge (dict) (get .own .name | default dict) (get .context.Values .name) }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- /* Entries of a list (`name`): those of all pods, then its own. */ -}}
{{- define "belfry.entries" -}}
{{- with concat (get .context.Values .name) (get .own .name | default list) }}
{{ toYaml . }}
{{- end }}
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

{{- /* The entry of env that lets Node trust the authorities of `caBundle`, and the entries of `extraEnv`. */ -}}
{{- define "belfry.extraEnv" -}}
{{- with include "belfry.caBundle" . | fromYaml }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/belfry/ca/{{ .key | default "ca.crt" }}
{{- end }}
{{- include "belfry.entries" (dict "name" "extraEnv" "own" .own "context" .context) }}
{{- end }}

{{- define "belfry.caBundle" -}}
{{- include "belfry.value" (dict "name" "caBundle" "own" .own "context" .context) }}
{{- end }}

{{- define "belfry.mounts" -}}
- name: tls
  mountPath: /etc/belfry/tls
  readOnly: true
{{- if include "belfry.caBundle" . }}
- name: ca
  mountPath: /etc/belfry/ca
  readOnly: true
{{- end }}
{{- include "belfry.entries" (dict "name" "extraVolumeMounts" "own" .own "context" .context) }}
{{- end }}

{{- /* `tls` has certificates of authorities, and what else DATABASE_URL and NATS_TLS_… name. */ -}}
{{- define "belfry.volumes" -}}
- name: tls
  secret:
    secretName: {{ .context.Values.existingTlsSecret }}
    optional: true
{{- with include "belfry.caBundle" . | fromYaml }}
- name: ca
  configMap:
    name: {{ .existingConfigMap }}
{{- end }}
{{- include "belfry.entries" (dict "name" "extraVolumes" "own" .own "context" .context) }}
{{- end }}

{{- /* The variables of a service's ConfigMap: those of every service and its own. */ -}}
{{- define "belfry.data" -}}
{{- range $name, $value := .env }}
{{ $name }}: {{ tpl $value $.context | quote }}
{{- end }}
{{- end }}
