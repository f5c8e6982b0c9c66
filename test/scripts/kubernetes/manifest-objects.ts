/** What tests read of the objects of Kubernetes. */
export interface ManifestObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Labels }
  readonly data?: Labels
  readonly spec?: {
    readonly replicas?: number
    readonly progressDeadlineSeconds?: number
    readonly activeDeadlineSeconds?: number
    readonly selector?: { readonly matchLabels: Labels }
    readonly template?: PodTemplate
    readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } }
    readonly podSelector?: { readonly matchLabels: Labels; readonly matchExpressions?: readonly object[] }
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly NetworkRule[]
    readonly egress?: readonly NetworkRule[]
  }
}

export type Labels = Readonly<Record<string, string>>

interface PodTemplate {
  readonly metadata: { readonly labels: Labels; readonly annotations?: Labels }
  readonly spec: Pod
}

interface NetworkRule {
  readonly ports: readonly { readonly port: number }[]
  readonly to?: readonly { readonly ipBlock?: { readonly except?: readonly string[] } }[]
}

export interface Pod {
  readonly automountServiceAccountToken: boolean
  readonly enableServiceLinks: boolean
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[]
  readonly containers: readonly Container[]
  readonly volumes: readonly {
    readonly emptyDir?: { readonly sizeLimit: string }
    readonly secret?: { readonly defaultMode: number; readonly secretName: string }
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
}

interface Container {
  readonly image: string
  readonly args?: readonly string[]
  readonly ports?: readonly object[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[]
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: object
  readonly startupProbe?: Probe
  readonly readinessProbe?: Probe
  readonly livenessProbe?: Probe
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}
