import { afterAll, beforeEach } from 'bun:test'
import { startCloudflare } from '#tests/support/cloudflare/server.ts'
import { addSite, fleet } from './backup-fleet.ts'

export const token = 'a-token-of-forty-characters-a-token-of-f'
/** A record as a plan shows it. */
export const shown = (type: string, content: string, name = 'a.example') => ({
  name,
  type,
  content,
})

const many = Array.from({ length: 60 }, (_, at) => `zone-${at}.example`)

/** Cloudflare with 63 zones, empty before each test of this file. */
export function useCloudflare() {
  const zones = ['a.example', 'sub.a.example', 'bücher.example', ...many]
  const cloudflare = startCloudflare({ token, zones })
  const { api, records, refusals, losses, strays } = cloudflare
  let zone = ''
  afterAll(() => cloudflare.stop())
  beforeEach(() => {
    records.length = 0
    refusals.clear()
    losses.clear()
    strays.length = 0
    cloudflare.purges.length = 0
    cloudflare.denials.clear()
    cloudflare.gone.clear()
  })
  const left = () =>
    records.map(({ type, name, content, proxied }) => [type, name, content, proxied] as const)
  /** Removes all records of the zone. */
  const clear = () => {
    zone = records[0]?.zone ?? ''
    records.length = 0
  }
  /** A record of a.example; there was one before. */
  const put = (type: string, content: string, proxied = false) => {
    const id = '1'.repeat(32)
    const name = 'a.example'
    records.push({ id, zone: records[0]?.zone ?? zone, type, content, proxied, name, ttl: 1 })
  }
  return { ...cloudflare, left, clear, put, oneSite: (domain?: string) => oneSite(api, domain) }
}

/** The site a.example on a server with the address 127.0.0.1. */
async function oneSite(api: string, domain = 'a.example') {
  const all = await fleet({ ready: false })
  const { dashboard, server_id } = all
  const site = await addSite(dashboard, server_id, { domain, apex: domain })
  const account = (body: object = {}) =>
    dashboard.call('POST', '/api/dns-accounts', { name: 'Cloudflare', token, api, ...body })
  const set = (body: object) =>
    dashboard.call('POST', `/api/servers/${server_id}/sites/${site}/domains/records`, {
      name: domain,
      ...body,
    })
  const types = async () => {
    const { body } = await dashboard.call('GET', '/api/activity')
    return (body.activities as { type: string }[]).map(({ type }) => type)
  }
  const entries = async () => {
    const { body } = await dashboard.call('GET', '/api/activity?type=dns.records')
    const all = body.activities as { domain: string; status: string }[]
    return all.map(({ domain, status }) => [domain, status])
  }
  const { address } = await addressOf(dashboard, server_id)
  const details = async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/activity')
    const all = body.activities as { type: string; status: string; detail: string | null }[]
    return all
      .filter(({ type }) => type.startsWith('dns.records'))
      .map(({ type, status, detail }) => [type, status, detail])
  }
  return { ...all, site, account, set, types, entries, details, address }
}

async function addressOf(
  dashboard: Awaited<ReturnType<typeof fleet>>['dashboard'],
  server_id: number,
) {
  const { body } = await dashboard.call('GET', `/api/servers/${server_id}`)
  return { address: (body.server as { hostname: string }).hostname }
}
