import type {
  AgentBuild,
  FoundSite,
  Metrics,
  Service,
  SiteCertificate,
  TrashedSite,
} from '#shared/agent.ts'
import type { Secret } from '#shared/secret.ts'

/** What the agent tells without changing anything. Unknown domains throw not_found naming them. */
export interface Readings {
  metrics(): Promise<Metrics>
  services(): Promise<Service[]>
  build(): Promise<AgentBuild>
  sites(): Promise<FoundSite[]>
  trash(): Promise<TrashedSite[]>
  certificates(): Promise<SiteCertificate[]>
  databasePassword(domain: string): Promise<Secret>
  adminPassword(domain: string): Promise<{ user: string; password: Secret }>
}
