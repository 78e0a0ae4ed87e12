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

/** The reading calls of the agent. Unknown domains throw not_found naming them. */
export interface Readings {
  metrics(): Promise<Metrics>
  services(): Promise<Service[]>
  build(): Promise<AgentBuild>
  sites(): Promise<FoundSite[]>
  /** The web servers, and the sites that have no domain. */
  web(): Promise<Web>
  trash(): Promise<TrashedSite[]>
  certificates(): Promise<SiteCertificate[]>
  /** The last measurement. */
  usage(): Promise<SiteUsage[]>
  /** The last check; null before the first one. */
  maintenance(): Promise<Maintenance | null>
  mail(): Promise<Mail>
  /** Obstacles to new sites; at most some seconds old. */
  conditions(): Promise<Condition[]>
  /** The health of each checked site. */
  health(): Promise<SiteHealth[]>
  /** The runs of the jobs of a site, newest first. */
  jobRuns(domain: string): Promise<AgentJobRun[]>
  databasePassword(domain: string): Promise<Secret>
  adminPassword(domain: string): Promise<{ user: string; password: Secret }>
}
