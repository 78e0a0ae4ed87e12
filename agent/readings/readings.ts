import type {
  AgentBuild,
  Condition,
  FoundSite,
  Mail,
  Metrics,
  Service,
  SiteCertificate,
  SiteHealth,
  SiteUsage,
  TrashedSite,
  Web,
} from '#shared/agent.ts'
import type { AgentJobRun } from '#shared/job-runs.ts'
import type { Maintenance } from '#shared/maintenance.ts'
import type { Secret } from '#shared/secret.ts'

/** What the agent tells without changing anything. Unknown domains throw not_found naming them. */
export interface Readings {
  metrics(): Promise<Metrics>
  services(): Promise<Service[]>
  build(): Promise<AgentBuild>
  sites(): Promise<FoundSite[]>
  /** The web servers, and the sites that have no domain. */
  web(): Promise<Web>
  trash(): Promise<TrashedSite[]>
  certificates(): Promise<SiteCertificate[]>
  /** As it was measured last. */
  usage(): Promise<SiteUsage[]>
  /** As it was checked last; null before the first check. */
  maintenance(): Promise<Maintenance | null>
  mail(): Promise<Mail>
  /** What stands in the way of new sites; some seconds old at the most. */
  conditions(): Promise<Condition[]>
  /** Of each site that was looked at. */
  health(): Promise<SiteHealth[]>
  /** Of the jobs of a site, newest first. */
  jobRuns(domain: string): Promise<AgentJobRun[]>
  databasePassword(domain: string): Promise<Secret>
  adminPassword(domain: string): Promise<{ user: string; password: Secret }>
}
