import { reading } from '#agent/kernel/calls/reading.ts'
import { isCanary } from '#agent/kernel/site/canary.ts'
import { databasePasswordReading } from '#shared/database/readings.ts'
import { certificatesReading, sitesReading, webReading } from '#shared/sites/readings.ts'
import { databasePassword as passwordOf } from './db-password.ts'
import { discoverSites, discoverWeb } from './discovery.ts'
import { servedCertificates } from './served-certificates.ts'

export const sites = reading(sitesReading, async ({ host }) => ({
  sites: (await discoverSites(host)).filter(({ domain }) => !isCanary(domain)),
}))

export const web = reading(webReading, ({ host }) => discoverWeb(host))

export const certificates = reading(certificatesReading, async ({ host }) => ({
  certificates: await servedCertificates(host),
}))

export const databasePassword = reading(databasePasswordReading, async ({ host, params }) => ({
  password: (await passwordOf(host, params.domain)).reveal(),
}))
