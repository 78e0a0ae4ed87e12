import { AgentNameStates } from '#shared/domains/name-states.ts'
import { SiteRequest } from '#shared/kernel/agent-requests.ts'
import { FoundSite } from '#shared/kernel/found-site.ts'
import { listOf, NoParams, reading } from '#shared/kernel/reading.ts'
import { CountsRequest, SiteCount } from '#shared/metrics/site-numbers.ts'
import { SiteUsage } from '#shared/metrics/site-usage.ts'
import { AgentObjectCache } from '#shared/object-cache/object-cache.ts'
import { SiteCertificate, SiteHealth, TrashedSite, Web } from '#shared/servers/agent.ts'

export const sitesReading = reading({
  at: 'GET /sites',
  params: NoParams,
  answer: listOf('sites', FoundSite),
})

/** The web servers, and the sites that have no domain. */
export const webReading = reading({ at: 'GET /web', params: NoParams, answer: Web })

export const trashReading = reading({
  at: 'GET /trash',
  params: NoParams,
  answer: listOf('trash', TrashedSite),
})

export const certificatesReading = reading({
  at: 'GET /certificates',
  params: NoParams,
  answer: listOf('certificates', SiteCertificate),
})

/** The last measurement of the disk use. */
export const usageReading = reading({
  at: 'GET /usage',
  params: NoParams,
  answer: listOf('sites', SiteUsage),
})

export const siteHealthReading = reading({
  at: 'GET /sites/health',
  params: NoParams,
  answer: listOf('sites', SiteHealth),
})

/**
 * The numbers of each site since a time. Unreadable ones of one site are null for a dashboard, and
 * do not affect other sites: workers of a site may forge its numbers.
 */
export const numbersReading = reading({
  at: 'GET /sites/numbers',
  params: CountsRequest,
  answer: listOf('sites', SiteCount.nullable().catch(null)),
})

export const nameStatesReading = reading({
  at: 'POST /sites/names',
  params: SiteRequest,
  answer: AgentNameStates,
})

export const objectCacheReading = reading({
  at: 'POST /sites/object-cache',
  params: SiteRequest,
  answer: AgentObjectCache,
})
