import type { FoundSite, Metrics, Service } from '#shared/agent.ts'

/** What the agent tells without changing anything. Unknown domains throw not_found naming them. */
export interface Readings {
  metrics(): Promise<Metrics>
  services(): Promise<Service[]>
  sites(): Promise<FoundSite[]>
  databasePassword(domain: string): Promise<string>
  adminPassword(domain: string): Promise<{ user: string; password: string }>
}
